-- The last good list of trusted entities of each address, so that a process that starts while a list is away trusts whom the others
-- trust. A row proves itself: the list is signed, and read like one from the web.
create table trust_lists (
  url         text        collate "C" primary key,
  -- The compact JWS.
  token       text        not null,
  next_update timestamptz not null,
  read_at     timestamptz not null default now()
);
