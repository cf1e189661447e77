-- What lists of credentials are filtered by, in columns of its own, so that a page costs the same however many credentials there
-- are. Empty for everything else: where no indexed column changes, the update of a state needs no new index entry.
alter table streams
  add column template_id text collate "C"
    generated always as (case category when 'credential' then state->>'templateId' end) stored,
  add column status text collate "C"
    generated always as (case category when 'credential' then state->>'status' end) stored;
create index streams_by_template on streams (template_id, created_at, stream_id) where template_id is not null;
create index streams_by_status on streams (status, created_at, stream_id) where status is not null;
create index streams_by_template_and_status on streams (template_id, status, created_at, stream_id)
  where template_id is not null and status is not null;
