#!/bin/sh
# Creates the role that the service runs as. The image of PostgreSQL runs this once, when it creates the database;
# "sealwright grants" grants the rights of the role. The password never appears on a command line.
set -eu
psql --set ON_ERROR_STOP=1 --no-password --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set password `cat /run/secrets/app-password`
create role app login password :'password';
SQL
