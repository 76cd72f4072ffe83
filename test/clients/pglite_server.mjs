// PGlite with pgcrypto and the SQL edition, which this file has, on a socket
import { readFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { pgcrypto } from "@electric-sql/pglite/contrib/pgcrypto";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

const [edition, path] = process.argv.slice(2);
const db = await PGlite.create({ extensions: { pgcrypto } });
await db.exec("CREATE SCHEMA crypto; CREATE EXTENSION pgcrypto SCHEMA crypto");
await db.exec(await readFile(edition, "utf8"));
await new PGLiteSocketServer({ db, path }).start();
console.log("started");
