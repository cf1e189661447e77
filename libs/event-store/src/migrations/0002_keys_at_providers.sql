-- Keys that are in a device or at a key service: by which provider, and by which name and version it finds them. What is sealed of them
-- is empty. The proof of the row covers both columns; the service needs no other rights.
alter table key_store
  add column provider  text,
  add column reference text,
  add constraint key_store_place check ((provider is null) = (reference is null));
