-- Issuers that share a store. Their streams, keys and used values have the mark of the tenant in their names (`category~mark-id`); what has no
-- such name says whose it is in a column, empty for the issuer of the settings. Proofs of rows cover the column where it is not empty.
-- The service needs no other rights.
alter table api_keys add column tenant text collate "C" not null default '';
alter table audit add column tenant text collate "C" not null default '';
alter table webhook_receivers add column tenant text collate "C" not null default '';
create index api_keys_by_tenant on api_keys (tenant, created_at, id);
-- The keys that every replica reads each two seconds.
create index key_store_of_service on key_store (id) where strpos(purpose, '~') = 0;
create index webhook_receivers_by_tenant on webhook_receivers (tenant) where tenant <> '';
create index audit_by_tenant on audit (tenant, recorded_at, id) where tenant <> '';
-- Lists of tenants. Those of the issuer of the settings have indexes whose condition names a category without a mark.
create index tenant_streams_by_template on streams (category, (state->>'templateId'), created_at, stream_id)
  where category like 'credential~%';
create index tenant_streams_by_issue on streams (category, ((state->>'issuedAt') collate "C"), stream_id)
  where category like 'credential~%' and state->>'issuedAt' is not null;
create index tenant_offers_by_state on streams
  (category, (((case when state ? 'isPublic' and state->>'status' = 'open' then 'online' else state->>'status' end)
    || ' ' || (state->>'expiresAt')) collate "C"), stream_id)
  where category like 'offer~%';
create index tenant_requests_by_status on streams
  (category, (((state->>'status') || ' ' || (state->>'expiresAt')) collate "C"), stream_id)
  where category like 'authorization_request~%';
create index tenant_authorizations_by_status on streams
  (category, (((state->>'status') || ' ' || (state->>'completableUntil')) collate "C"), stream_id)
  where category like 'authorization~%';
-- Whose expiry is to be recorded, of all tenants in one range. The predicate is that of due-expiries.ts.
create index tenant_streams_to_expire on streams (((state->>'expiresAt') collate "C"), stream_id)
  where (category like 'offer~%' or category like 'authorization_request~%')
    and state->>'status' in ('open', 'online', 'offline', 'pending', 'retrieved', 'rejected', 'withheld');
