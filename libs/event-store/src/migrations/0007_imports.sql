-- Spreadsheets of which credentials are made. What an import is, is in its stream; these rows are its work. What comes from a file is sealed
-- under the data key of that stream. The rows are not proven: who changes them can keep an import from being carried out, or have rows of it
-- checked again, but cannot put claims in. The service needs all rights; what is old it removes.
create table imports (
  -- The mark; empty for the issuer of the settings.
  tenant     text        collate "C" not null,
  import_id  text        collate "C" not null,
  -- When a process may look after it; null while somebody has to do something.
  due        timestamptz,
  created_at timestamptz not null default now(),
  constraint imports_pkey primary key (tenant, import_id)
);
create index imports_due on imports (due) where due is not null;
create index imports_by_age on imports (created_at);

-- Files that have not been read yet, in parts.
create table import_files (
  tenant    text    collate "C" not null,
  import_id text    collate "C" not null,
  part      integer not null,
  sealed    bytea   not null,
  constraint import_files_pkey primary key (tenant, import_id, part)
);

create table import_rows (
  tenant    text    collate "C" not null,
  import_id text    collate "C" not null,
  -- As spreadsheets count: the first row of a file is 1.
  n         integer not null,
  state     text    collate "C" not null,
  -- The round of checks that it was checked in last.
  checked   integer not null default 0,
  version   integer not null default 1,
  -- By a key of the import: the same for rows that say the same.
  same      text    collate "C",
  -- An earlier row that says the same.
  twin      integer,
  -- The cells, and what is wrong with them; once there is a credential, its reference alone.
  sealed    text    not null,
  constraint import_rows_pkey primary key (tenant, import_id, n)
);
create index import_rows_by_state on import_rows (tenant, import_id, state, n);
create index import_rows_by_check on import_rows (tenant, import_id, checked, n);
create index import_rows_by_same on import_rows (tenant, import_id, same, n);
