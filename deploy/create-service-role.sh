#!/bin/sh
# Makes the role as which the service runs. The image of PostgreSQL runs this once, when it makes the database; what the role
# may do is granted by "sealwright grants". The password never stands on a command line.
set -eu
psql --set ON_ERROR_STOP=1 --no-password --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set password `cat /run/secrets/app-password`
create role app login password :'password';
SQL
