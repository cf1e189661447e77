-- What became of the entries of status lists, as the events of the credentials say: a projection, which can be made
-- again from them. Rows are only ever added; the latest one of an entry counts.
create table status_list_versions (
  list_id text   collate "C" primary key,
  -- Rises with each addition to the list's changes.
  version bigint not null
);
create table status_changes (
  list_id        text        collate "C" not null,
  entry          integer     not null,
  -- Of the credential's stream, with the event that brought the change.
  stream_version integer     not null,
  -- Token Status List §7.1: 0 valid, 1 revoked, 2 suspended.
  status         smallint    not null,
  changed_at     timestamptz not null,
  -- The version of the list that has it first.
  list_version   bigint      not null,
  primary key (list_id, entry, stream_version)
);
-- A replica reads what came after the version it has.
create index status_changes_by_version on status_changes (list_id, list_version);

-- Least privilege, as in 0001:
--   grant select, insert, update, delete on status_list_versions to app;
--   grant select, insert, delete         on status_changes       to app;
