-- People who have signed in to the console. A row has the hash of what their browser keeps, and is sealed under a key that follows from that, so
-- that a copy of the table opens nothing. A proof covers whose it is, what it may do and when it ends.
-- The service needs select, insert, update and delete.
create table console_sessions (
  hash bytea primary key,
  -- Names it in the audit and in lists.
  id text collate "C" not null unique,
  tenant text collate "C" not null default '',
  subject text collate "C" not null,
  -- Of the session at the provider.
  sid_hash bytea,
  roles text[] not null,
  -- When the person last proved who they are; null where the provider does not say.
  authenticated_at timestamptz,
  created_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  seen_at timestamptz not null default now(),
  roles_read_at timestamptz not null default now(),
  sealed text not null,
  proof bytea not null
);
create index console_sessions_by_subject on console_sessions (subject);
create index console_sessions_by_tenant on console_sessions (tenant, created_at, id);
create index console_sessions_by_end on console_sessions (ends_at);
create index console_sessions_by_sid on console_sessions (sid_hash) where sid_hash is not null;
