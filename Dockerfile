# docker build --build-arg PG_MAJOR=17 --tag uuidx-server .   a server that has uuidx
# docker build --target extension --tag uuidx-extension .     uuidx alone, as CloudNativePG mounts it from PostgreSQL 18 on
#
# BASE is another image with a server from the Debian packages of PGDG.

ARG PG_MAJOR=18
ARG BASE=postgres:$PG_MAJOR

FROM $BASE AS build
ARG PG_MAJOR
USER root
WORKDIR /tmp/uuidx
ENV PG_CONFIG=/usr/lib/postgresql/$PG_MAJOR/bin/pg_config
RUN apt-get update && \
    apt-get install -y --no-install-recommends build-essential libssl-dev postgresql-server-dev-$PG_MAJOR
COPY . .
RUN make clean && \
    make -j"$(nproc)" && \
    make install DESTDIR=/server && \
    mkdir --parents /server/usr/share/doc/uuidx && \
    cp -r LICENSE README.md SECURITY.md docs /server/usr/share/doc/uuidx && \
    make install DESTDIR=/extension pkglibdir=/lib datadir=/share && \
    install -D --mode=644 LICENSE /extension/licenses/uuidx/LICENSE

FROM scratch AS extension
COPY --from=build /extension /
USER 65532:65532

FROM $BASE AS server
COPY --from=build /server /
