-- The database that has the erasure keys of this store, if there is one. One row.
create table erasure_key_database (
  singleton     boolean     primary key default true check (singleton),
  -- What that database calls itself.
  id            uuid        not null,
  -- The erasures recorded there up to this time have been repeated in this database, which was restored from a backup.
  replayed_upto timestamptz not null default '-infinity'
);
