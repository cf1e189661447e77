-- Beside the database of the events, in one of its own with short-lived backups: a key for each stream that has personal data. The
-- data key of the stream opens with it only, so once a row is gone, no copy of the other database opens that data.
create table erasure_keys (
  stream_id   text        collate "C" primary key,
  erasure_key bytea       not null,
  made_at     timestamptz not null default now()
);
create index erasure_keys_by_age on erasure_keys (made_at);

-- What was erased and when, so that it can be erased again in a restored database. Without the names of the streams.
create table erasures (
  stream_hash bytea       primary key,
  erased_at   timestamptz not null
);
create index erasures_by_time on erasures (erased_at);

-- What this database calls itself, and how far it has followed the other one. One row.
create table followed_store (
  singleton   boolean     primary key default true check (singleton),
  id          uuid        not null default gen_random_uuid(),
  -- A store has noted that its erasure keys are here.
  is_taken    boolean     not null default false,
  -- The erasures that the other database has recorded up to this time are carried out here.
  erased_upto timestamptz not null default '-infinity',
  -- Keys made up to this time have been looked up there.
  swept_upto  timestamptz not null default '-infinity'
);
insert into followed_store default values;
