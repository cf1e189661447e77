-- Proofs that this service wrote a row: a MAC under a key of the key store. Null in rows of before, which get theirs when
-- the proof key is made.
alter table key_store add column proof bytea;
alter table api_keys add column proof bytea;
-- Whether a key lives is no longer asked without looking at its proof.
drop index api_keys_not_revoked;

-- Least privilege: the rights of 0001 and 0004 are enough.
