# docker build --build-arg PG_MAJOR=17 --tag uuidx .

ARG PG_MAJOR=18
FROM postgres:$PG_MAJOR
ARG PG_MAJOR

COPY . /tmp/uuidx

RUN apt-get update && \
    apt-mark hold locales && \
    apt-get install -y --no-install-recommends build-essential libssl-dev postgresql-server-dev-$PG_MAJOR && \
    cd /tmp/uuidx && \
    make clean && \
    make && \
    make install && \
    mkdir /usr/share/doc/uuidx && \
    cp -r LICENSE README.md docs /usr/share/doc/uuidx && \
    cd / && \
    rm -r /tmp/uuidx && \
    apt-get remove -y build-essential libssl-dev postgresql-server-dev-$PG_MAJOR && \
    apt-get autoremove -y && \
    apt-mark unhold locales && \
    rm -rf /var/lib/apt/lists/*
