-- What used to read whole tables finds an index. Keys are few, but every replica lists them every two seconds.
create index key_store_by_purpose on key_store (purpose, created_at, id);
create index api_keys_by_creation on api_keys (created_at, id);
create index api_keys_not_revoked on api_keys (expires_at) where revoked_at is null;
