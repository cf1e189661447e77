-- Indexes of lists without the identifier of the stream: it is half of an entry, and each update of a state writes an entry to nearly
-- every index. Streams of one time are sorted when they are read. The service needs no other rights.
create index if not exists narrow_streams_by_category on streams (category, created_at);
create index if not exists narrow_streams_by_parent on streams (category, parent, created_at) where parent is not null;
create index if not exists narrow_streams_by_template on streams (template_id, created_at) where template_id is not null;
create index if not exists narrow_streams_by_status on streams (status, created_at) where status is not null;
create index if not exists narrow_streams_by_template_and_status on streams (template_id, status, created_at)
  where template_id is not null and status is not null;
create index if not exists narrow_offers_by_state on streams
  ((((case when state ? 'isPublic' and state->>'status' = 'open' then 'online' else state->>'status' end)
    || ' ' || (state->>'expiresAt')) collate "C"))
  where category = 'offer';
create index if not exists narrow_authorization_requests_by_status on streams
  (((state->>'status') || ' ' || (state->>'expiresAt')) collate "C")
  where category = 'authorization_request';
create index if not exists narrow_authorizations_by_status on streams
  (((state->>'status') || ' ' || (state->>'completableUntil')) collate "C")
  where category = 'authorization';
create index if not exists narrow_credentials_by_issue on streams
  (((case category when 'credential' then state->>'issuedAt' end) collate "C"))
  where (case category when 'credential' then state->>'issuedAt' end) is not null;
create index if not exists narrow_credentials_by_signing_key on streams
  (((case category when 'credential' then state->>'signingKeyId' end) collate "C"),
   ((case category when 'credential' then state->>'issuedAt' end) collate "C"))
  where (case category when 'credential' then state->>'signingKeyId' end) is not null;
create index if not exists narrow_credentials_by_validity on streams
  (((case category when 'credential' then state->>'validity' end) collate "C"),
   ((case category when 'credential' then state->>'issuedAt' end) collate "C"))
  where (case category when 'credential' then state->>'validity' end) is not null;
create index if not exists narrow_tenant_streams_by_template on streams (category, (state->>'templateId'), created_at)
  where category like 'credential~%';
create index if not exists narrow_tenant_streams_by_issue on streams (category, ((state->>'issuedAt') collate "C"))
  where category like 'credential~%' and state->>'issuedAt' is not null;
create index if not exists narrow_tenant_offers_by_state on streams
  (category, (((case when state ? 'isPublic' and state->>'status' = 'open' then 'online' else state->>'status' end)
    || ' ' || (state->>'expiresAt')) collate "C"))
  where category like 'offer~%';
create index if not exists narrow_tenant_requests_by_status on streams
  (category, (((state->>'status') || ' ' || (state->>'expiresAt')) collate "C"))
  where category like 'authorization_request~%';
create index if not exists narrow_tenant_authorizations_by_status on streams
  (category, (((state->>'status') || ' ' || (state->>'completableUntil')) collate "C"))
  where category like 'authorization~%';
drop index streams_by_category,
  streams_by_parent,
  streams_by_template,
  streams_by_status,
  streams_by_template_and_status,
  offers_by_state,
  authorization_requests_by_status,
  authorizations_by_status,
  credentials_by_issue,
  credentials_by_signing_key,
  credentials_by_validity,
  tenant_streams_by_template,
  tenant_streams_by_issue,
  tenant_offers_by_state,
  tenant_requests_by_status,
  tenant_authorizations_by_status;
alter index narrow_streams_by_category rename to streams_by_category;
alter index narrow_streams_by_parent rename to streams_by_parent;
alter index narrow_streams_by_template rename to streams_by_template;
alter index narrow_streams_by_status rename to streams_by_status;
alter index narrow_streams_by_template_and_status rename to streams_by_template_and_status;
alter index narrow_offers_by_state rename to offers_by_state;
alter index narrow_authorization_requests_by_status rename to authorization_requests_by_status;
alter index narrow_authorizations_by_status rename to authorizations_by_status;
alter index narrow_credentials_by_issue rename to credentials_by_issue;
alter index narrow_credentials_by_signing_key rename to credentials_by_signing_key;
alter index narrow_credentials_by_validity rename to credentials_by_validity;
alter index narrow_tenant_streams_by_template rename to tenant_streams_by_template;
alter index narrow_tenant_streams_by_issue rename to tenant_streams_by_issue;
alter index narrow_tenant_offers_by_state rename to tenant_offers_by_state;
alter index narrow_tenant_requests_by_status rename to tenant_requests_by_status;
alter index narrow_tenant_authorizations_by_status rename to tenant_authorizations_by_status;
-- A new block range index has summarized its first range, and each append widened it. Later ranges are summarized when they are full.
select brin_desummarize_range(c.oid, 0) from pg_class c
where c.oid = to_regclass('events_by_position') and c.relkind = 'i' and pg_relation_size('events') < 128 * 8192;
