{
  fetchFromGitHub,
  lib,
  openssl,
  postgresql,
  postgresqlBuildExtension,
}:

postgresqlBuildExtension (finalAttrs: {
  pname = "uuidx";
  version = "1.0.0";

  src = fetchFromGitHub {
    owner = "uuidx";
    repo = "uuidx";
    tag = "v${finalAttrs.version}";
    hash = lib.fakeHash;
  };

  buildInputs = [ openssl ];

  meta = {
    description = "UUIDs as time-ordered keys: generate, read, convert and query (RFC 9562)";
    homepage = "https://github.com/uuidx/uuidx";
    changelog = "https://github.com/uuidx/uuidx/blob/v${finalAttrs.version}/CHANGELOG.md";
    maintainers = [ ];
    platforms = postgresql.meta.platforms;
    license = lib.licenses.postgresql;
  };
})
