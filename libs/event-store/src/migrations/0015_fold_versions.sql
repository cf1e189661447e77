-- Which version of its fold made a state, and up to which event: see fold-version.ts. Null in rows that earlier releases write;
-- what they change keeps the number of the event that was the last one before.
alter table streams
  add column fold_version integer,
  add column fold_upto integer;

-- The version of its fold with which all states of a category were made once, and when that was.
create table folds (
  category     text        collate "C" primary key,
  fold_version integer     not null,
  folded_at    timestamptz not null default now()
);

-- Least privilege, as in 0001:
--   grant select, insert, update on folds to app;
