-- Keys of management callers. Of a key itself only its hash: with 256 random bits a plain SHA-256 cannot be turned back.
create table api_keys (
  id           text        collate "C" primary key,
  name         text        not null,
  hash         bytea       not null,
  scopes       text[]      not null,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz
);

-- Least privilege, as in 0001:
--   grant select, insert, update on api_keys to app;
