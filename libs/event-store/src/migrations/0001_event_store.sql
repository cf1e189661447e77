-- The truth. Rows are only ever added.
create table events (
  -- Commit order for readers: see subscription.ts. Assigned by the append itself, the first write of its transaction.
  tx          xid8        not null default pg_current_xact_id(),
  position    bigint      not null generated always as identity,
  stream_id   text        collate "C" not null,
  version     integer     not null check (version > 0),
  type        text        not null,
  data        jsonb       not null,
  metadata    jsonb       not null,
  recorded_at timestamptz not null default now(),
  -- The conflict check: a second writer of a version fails here.
  constraint events_pkey primary key (stream_id, version)
);
create index events_in_commit_order on events (tx, position);

-- What the events fold into. Disposable: `rebuild` makes it again.
create table streams (
  stream_id  text        collate "C" primary key,
  category   text        collate "C" not null,
  parent     text        collate "C",
  version    integer     not null,
  state      jsonb       not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 70); -- room for an update on the same page; no index holds what an update changes
create index streams_by_category on streams (category, created_at, stream_id);
create index streams_by_parent on streams (category, parent, created_at, stream_id) where parent is not null;

-- Single-use values, as hashes. The primary key is what makes them single-use.
create table consumed (
  kind       text  collate "C" not null,
  value_hash bytea not null,
  stream_id  text  collate "C",
  expires_at timestamptz,
  constraint consumed_pkey primary key (kind, value_hash)
);
create index consumed_by_expiry on consumed (expires_at) where expires_at is not null;

-- Wrapped data keys of personal data, apart from the events so that destroying one erases the person.
create table data_keys (
  stream_id  text  collate "C",
  sealed_key bytea not null,
  created_at timestamptz not null default now(),
  constraint data_keys_pkey primary key (stream_id)
);

-- The last event each subscription has handled.
create table subscriptions (
  name     text   collate "C" primary key,
  tx       xid8   not null,
  position bigint not null
);

-- Least privilege: the owner migrates, the service runs as a role of its own ("app") that cannot change history:
--   grant select, insert                 on events                     to app;
--   grant select, insert, update, delete on streams                    to app;
--   grant select, insert, delete         on consumed, data_keys        to app;
--   grant select, insert, update         on subscriptions              to app;
--   grant select, insert, update         on key_store                  to app;
--   grant select                         on schema_migrations          to app;
