-- The key ring of libs/keys: private parts only sealed.
create table key_store (
  id         text        collate "C" primary key,
  purpose    text        not null,
  algorithm  text,
  status     text        not null,
  public_jwk jsonb,
  sealed     text        not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
