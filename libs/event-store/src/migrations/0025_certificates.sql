-- The chain of certificates that vouches for a key: PEM, the leaf first, without the trust anchor.
alter table key_store add column chain text;
