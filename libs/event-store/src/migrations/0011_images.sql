-- Pictures of cards and issuers, which wallets load (libs/templates/src/images). An id is the SHA-256 of the content and is compared with it
-- whenever it is served, so that the rows need no other proof: who changes one takes a picture away. Nothing in them is secret or about a person.
-- The service needs select, insert and delete.
create table images (
  -- The mark; empty for the issuer of the settings.
  tenant     text        collate "C" not null,
  image_id   text        collate "C" not null,
  kind       text        collate "C" not null,
  width      integer     not null,
  height     integer     not null,
  content    bytea       not null,
  created_at timestamptz not null default now(),
  constraint images_pkey primary key (tenant, image_id)
);
