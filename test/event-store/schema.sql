create table api_keys (
  id text collate "C" not null,
  name text not null,
  hash bytea not null,
  scopes text[] not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  client text,
  proof bytea,
  tenant text collate "C" default ''::text not null,
  constraint api_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX api_keys_by_creation ON public.api_keys USING btree (created_at, id);
CREATE INDEX api_keys_by_tenant ON public.api_keys USING btree (tenant, created_at, id);

create table audit (
  id uuid not null,
  recorded_at timestamp with time zone default now() not null,
  principal text collate "C" not null,
  client text collate "C",
  action text collate "C" not null,
  object text collate "C",
  outcome text collate "C" not null,
  request_id text collate "C",
  count integer default 1 not null,
  tenant text collate "C" default ''::text not null,
  constraint audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_by_action ON public.audit USING btree (action, recorded_at, id);
CREATE INDEX audit_by_client ON public.audit USING btree (client, recorded_at, id) WHERE (client IS NOT NULL);
CREATE INDEX audit_by_object ON public.audit USING btree (object, recorded_at, id) WHERE (object IS NOT NULL);
CREATE INDEX audit_by_outcome ON public.audit USING btree (outcome, recorded_at, id) WHERE (outcome <> 'ok'::text);
CREATE INDEX audit_by_principal ON public.audit USING btree (principal, recorded_at, id);
CREATE INDEX audit_by_tenant ON public.audit USING btree (tenant, recorded_at, id) WHERE (tenant <> ''::text);
CREATE INDEX audit_by_time ON public.audit USING btree (recorded_at, id);

create table checkpoints (
  number bigint not null,
  lowest bigint not null,
  highest bigint not null,
  signed text not null,
  constraint checkpoints_number_check CHECK ((number > 0)),
  constraint checkpoints_pkey PRIMARY KEY (number)
);
CREATE INDEX checkpoints_by_reach ON public.checkpoints USING btree (highest, lowest);

create table clock_watch (
  singleton boolean default true not null,
  seen_at timestamp with time zone not null,
  steady_since timestamp with time zone not null,
  doubted boolean default false not null,
  constraint clock_watch_pkey PRIMARY KEY (singleton),
  constraint clock_watch_singleton_check CHECK (singleton)
);

create table console_sessions (
  hash bytea not null,
  id text collate "C" not null,
  tenant text collate "C" default ''::text not null,
  subject text collate "C" not null,
  sid_hash bytea,
  roles text[] not null,
  authenticated_at timestamp with time zone,
  created_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  seen_at timestamp with time zone default now() not null,
  roles_read_at timestamp with time zone default now() not null,
  sealed text not null,
  proof bytea not null,
  constraint console_sessions_id_key UNIQUE (id),
  constraint console_sessions_pkey PRIMARY KEY (hash)
);
CREATE INDEX console_sessions_by_end ON public.console_sessions USING btree (ends_at);
CREATE INDEX console_sessions_by_sid ON public.console_sessions USING btree (sid_hash) WHERE (sid_hash IS NOT NULL);
CREATE INDEX console_sessions_by_subject ON public.console_sessions USING btree (subject);
CREATE INDEX console_sessions_by_tenant ON public.console_sessions USING btree (tenant, created_at, id);

create table consumed (
  kind text collate "C" not null,
  value_hash bytea not null,
  stream_id text collate "C",
  expires_at timestamp with time zone,
  note text,
  proof bytea,
  constraint consumed_pkey PRIMARY KEY (kind, value_hash)
);
CREATE INDEX consumed_by_expiry ON public.consumed USING btree (expires_at) WHERE (expires_at IS NOT NULL);

create table data_keys (
  stream_id text collate "C" not null,
  sealed_key bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint data_keys_pkey PRIMARY KEY (stream_id)
);
CREATE TRIGGER data_key_is_needed BEFORE DELETE ON public.data_keys FOR EACH ROW EXECUTE FUNCTION data_key_is_needed();

create table erasure_key_database (
  singleton boolean default true not null,
  id uuid not null,
  replayed_upto timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint erasure_key_database_pkey PRIMARY KEY (singleton),
  constraint erasure_key_database_singleton_check CHECK (singleton)
);

create table events (
  tx xid8 default pg_current_xact_id() not null,
  "position" bigint generated always as identity not null,
  stream_id text collate "C" not null,
  version integer not null,
  type text not null,
  data jsonb not null,
  metadata jsonb not null,
  recorded_at timestamp with time zone default now() not null,
  proof bytea,
  constraint events_pkey PRIMARY KEY (stream_id, version),
  constraint events_version_check CHECK ((version > 0))
);
CREATE INDEX events_by_position ON public.events USING brin ("position") WITH (autosummarize='on');
CREATE INDEX events_in_commit_order ON public.events USING btree (tx, "position");
CREATE INDEX events_of_erasures ON public.events USING btree (recorded_at) WHERE (type = 'PersonalDataErased'::text);
CREATE INDEX events_of_status_lists ON public.events USING btree ((((data -> 'statusChange'::text) ->> 'listId'::text)), "position") WHERE (data ? 'statusChange'::text);

create table folds (
  category text collate "C" not null,
  fold_version integer not null,
  folded_at timestamp with time zone default now() not null,
  constraint folds_pkey PRIMARY KEY (category)
);

create table images (
  tenant text collate "C" not null,
  image_id text collate "C" not null,
  kind text collate "C" not null,
  width integer not null,
  height integer not null,
  content bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint images_pkey PRIMARY KEY (tenant, image_id)
);

create table import_files (
  tenant text collate "C" not null,
  import_id text collate "C" not null,
  part integer not null,
  sealed bytea not null,
  constraint import_files_pkey PRIMARY KEY (tenant, import_id, part)
);

create table import_rows (
  tenant text collate "C" not null,
  import_id text collate "C" not null,
  n integer not null,
  state text collate "C" not null,
  checked integer default 0 not null,
  version integer default 1 not null,
  same text collate "C",
  twin integer,
  sealed text not null,
  constraint import_rows_pkey PRIMARY KEY (tenant, import_id, n)
);
CREATE INDEX import_rows_by_check ON public.import_rows USING btree (tenant, import_id, checked, n);
CREATE INDEX import_rows_by_same ON public.import_rows USING btree (tenant, import_id, same, n);
CREATE INDEX import_rows_by_state ON public.import_rows USING btree (tenant, import_id, state, n);

create table imports (
  tenant text collate "C" not null,
  import_id text collate "C" not null,
  due timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  constraint imports_pkey PRIMARY KEY (tenant, import_id)
);
CREATE INDEX imports_by_age ON public.imports USING btree (created_at);
CREATE INDEX imports_due ON public.imports USING btree (due) WHERE (due IS NOT NULL);

create table key_store (
  id text collate "C" not null,
  purpose text not null,
  algorithm text,
  status text not null,
  public_jwk jsonb,
  sealed text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  proof bytea,
  chain text,
  provider text,
  reference text,
  constraint key_store_pkey PRIMARY KEY (id),
  constraint key_store_place CHECK (((provider IS NULL) = (reference IS NULL)))
);
CREATE INDEX key_store_by_purpose ON public.key_store USING btree (purpose, created_at, id);
CREATE INDEX key_store_of_service ON public.key_store USING btree (id) WHERE (strpos(purpose, '~'::text) = 0);

create table moving_tenants (
  tenant text collate "C" not null,
  since timestamp with time zone default now() not null,
  constraint moving_tenants_pkey PRIMARY KEY (tenant)
);

create table offer_deliveries (
  delivery_id text collate "C" not null,
  tenant text collate "C" default ''::text not null,
  offer_id text collate "C" not null,
  channel text collate "C" not null,
  locale text collate "C",
  status text collate "C" default 'Queued'::text not null,
  reason text,
  attempts integer default 0 not null,
  attempted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  next_attempt_at timestamp with time zone not null,
  changed_at timestamp with time zone not null,
  constraint offer_deliveries_pkey PRIMARY KEY (delivery_id)
);
CREATE INDEX offer_deliveries_by_age ON public.offer_deliveries USING btree (created_at);
CREATE INDEX offer_deliveries_by_attempt ON public.offer_deliveries USING btree (attempted_at) WHERE (attempted_at IS NOT NULL);
CREATE INDEX offer_deliveries_by_offer ON public.offer_deliveries USING btree (tenant, offer_id, created_at, delivery_id);
CREATE INDEX offer_deliveries_due ON public.offer_deliveries USING btree (tenant, next_attempt_at, delivery_id) WHERE (status = 'Queued'::text);
CREATE UNIQUE INDEX offer_deliveries_queued ON public.offer_deliveries USING btree (tenant, offer_id) WHERE (status = 'Queued'::text);

create unlogged table rate_limits (
  name text not null,
  client text not null,
  window_start timestamp with time zone not null,
  count integer not null,
  constraint rate_limits_pkey PRIMARY KEY (name, client, window_start)
);
CREATE INDEX rate_limits_window ON public.rate_limits USING btree (window_start);

create table schema_migrations (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (number)
);

create table status_changes (
  list_id text collate "C" not null,
  entry integer not null,
  stream_version integer not null,
  status smallint not null,
  changed_at timestamp with time zone not null,
  list_version bigint not null,
  constraint status_changes_pkey PRIMARY KEY (list_id, entry, stream_version)
);
CREATE INDEX status_changes_by_version ON public.status_changes USING btree (list_id, list_version);

create table status_list_versions (
  list_id text collate "C" not null,
  version bigint not null,
  digest bytea,
  upto bigint,
  proof bytea,
  constraint status_list_versions_pkey PRIMARY KEY (list_id)
);

create table store_identity (
  singleton boolean default true not null,
  deployment uuid not null,
  name text collate "C" not null,
  constraint store_identity_pkey PRIMARY KEY (singleton),
  constraint store_identity_singleton_check CHECK (singleton)
);

create table streams (
  stream_id text collate "C" not null,
  category text collate "C" not null,
  parent text collate "C",
  version integer not null,
  state jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  template_id text collate "C" generated always as (
CASE category
    WHEN 'credential'::text THEN (state ->> 'templateId'::text)
    ELSE NULL::text
END) stored,
  status text collate "C" generated always as (
CASE category
    WHEN 'credential'::text THEN (state ->> 'status'::text)
    ELSE NULL::text
END) stored,
  head bytea,
  fold_version integer,
  fold_upto integer,
  constraint streams_pkey PRIMARY KEY (stream_id)
);
CREATE INDEX approvals_by_status ON public.streams USING btree (category, ((((state ->> 'status'::text) || ' '::text) || (state ->> 'expiresAt'::text))) COLLATE "C") WHERE ((category = 'approval'::text) OR (category ~~ 'approval~%'::text));
CREATE INDEX authorization_requests_by_status ON public.streams USING btree (((((state ->> 'status'::text) || ' '::text) || (state ->> 'expiresAt'::text))) COLLATE "C") WHERE (category = 'authorization_request'::text);
CREATE INDEX authorizations_by_status ON public.streams USING btree (((((state ->> 'status'::text) || ' '::text) || (state ->> 'completableUntil'::text))) COLLATE "C") WHERE (category = 'authorization'::text);
CREATE INDEX credentials_by_issue ON public.streams USING btree ((
CASE category
    WHEN 'credential'::text THEN (state ->> 'issuedAt'::text)
    ELSE NULL::text
END) COLLATE "C") WHERE (
CASE category
    WHEN 'credential'::text THEN (state ->> 'issuedAt'::text)
    ELSE NULL::text
END IS NOT NULL);
CREATE INDEX credentials_by_signing_key ON public.streams USING btree ((
CASE category
    WHEN 'credential'::text THEN (state ->> 'signingKeyId'::text)
    ELSE NULL::text
END) COLLATE "C", (
CASE category
    WHEN 'credential'::text THEN (state ->> 'issuedAt'::text)
    ELSE NULL::text
END) COLLATE "C") WHERE (
CASE category
    WHEN 'credential'::text THEN (state ->> 'signingKeyId'::text)
    ELSE NULL::text
END IS NOT NULL);
CREATE INDEX credentials_by_validity ON public.streams USING btree ((
CASE category
    WHEN 'credential'::text THEN (state ->> 'validity'::text)
    ELSE NULL::text
END) COLLATE "C", (
CASE category
    WHEN 'credential'::text THEN (state ->> 'issuedAt'::text)
    ELSE NULL::text
END) COLLATE "C") WHERE (
CASE category
    WHEN 'credential'::text THEN (state ->> 'validity'::text)
    ELSE NULL::text
END IS NOT NULL);
CREATE INDEX offers_by_state ON public.streams USING btree ((((
CASE
    WHEN ((state ? 'isPublic'::text) AND ((state ->> 'status'::text) = 'open'::text)) THEN 'online'::text
    ELSE (state ->> 'status'::text)
END || ' '::text) || (state ->> 'expiresAt'::text))) COLLATE "C") WHERE (category = 'offer'::text);
CREATE INDEX streams_by_category ON public.streams USING btree (category, created_at);
CREATE INDEX streams_by_parent ON public.streams USING btree (category, parent, created_at) WHERE (parent IS NOT NULL);
CREATE INDEX streams_by_status ON public.streams USING btree (status, created_at) WHERE (status IS NOT NULL);
CREATE INDEX streams_by_template ON public.streams USING btree (template_id, created_at) WHERE (template_id IS NOT NULL);
CREATE INDEX streams_by_template_and_status ON public.streams USING btree (template_id, status, created_at) WHERE ((template_id IS NOT NULL) AND (status IS NOT NULL));
CREATE INDEX streams_to_erase ON public.streams USING btree (((state ->> 'eraseAt'::text)) COLLATE "C", stream_id) WHERE ((state ? 'eraseAt'::text) AND (NOT (state ? 'erasedAt'::text)));
CREATE INDEX tenant_authorizations_by_status ON public.streams USING btree (category, ((((state ->> 'status'::text) || ' '::text) || (state ->> 'completableUntil'::text))) COLLATE "C") WHERE (category ~~ 'authorization~%'::text);
CREATE INDEX tenant_offers_by_state ON public.streams USING btree (category, (((
CASE
    WHEN ((state ? 'isPublic'::text) AND ((state ->> 'status'::text) = 'open'::text)) THEN 'online'::text
    ELSE (state ->> 'status'::text)
END || ' '::text) || (state ->> 'expiresAt'::text))) COLLATE "C") WHERE (category ~~ 'offer~%'::text);
CREATE INDEX tenant_requests_by_status ON public.streams USING btree (category, ((((state ->> 'status'::text) || ' '::text) || (state ->> 'expiresAt'::text))) COLLATE "C") WHERE (category ~~ 'authorization_request~%'::text);
CREATE INDEX tenant_streams_by_issue ON public.streams USING btree (category, ((state ->> 'issuedAt'::text)) COLLATE "C") WHERE ((category ~~ 'credential~%'::text) AND ((state ->> 'issuedAt'::text) IS NOT NULL));
CREATE INDEX tenant_streams_by_template ON public.streams USING btree (category, ((state ->> 'templateId'::text)), created_at) WHERE (category ~~ 'credential~%'::text);
CREATE INDEX tenant_streams_to_expire ON public.streams USING btree (((state ->> 'expiresAt'::text)) COLLATE "C", stream_id) WHERE (((category ~~ 'offer~%'::text) OR (category ~~ 'authorization_request~%'::text) OR (category ~~ 'approval~%'::text)) AND ((state ->> 'status'::text) = ANY (ARRAY['open'::text, 'online'::text, 'offline'::text, 'pending'::text, 'retrieved'::text, 'rejected'::text, 'withheld'::text])));

create table subscriptions (
  name text collate "C" not null,
  tx xid8 not null,
  "position" bigint not null,
  constraint subscriptions_pkey PRIMARY KEY (name)
);

create table tenant_arrivals (
  tx xid8 not null,
  tenant text collate "C" not null,
  arrived_at timestamp with time zone default now() not null,
  constraint tenant_arrivals_pkey PRIMARY KEY (tx)
);
CREATE INDEX tenant_arrivals_by_time ON public.tenant_arrivals USING btree (arrived_at);

create table trust_lists (
  url text collate "C" not null,
  token text not null,
  next_update timestamp with time zone not null,
  read_at timestamp with time zone default now() not null,
  constraint trust_lists_pkey PRIMARY KEY (url)
);

create table webhook_deliveries (
  webhook_id text collate "C" not null,
  event_id bigint not null,
  type text collate "C" not null,
  subject text collate "C" not null,
  body text not null,
  status text collate "C" default 'Pending'::text not null,
  created_at timestamp with time zone not null,
  next_attempt_at timestamp with time zone not null,
  attempts integer default 0 not null,
  log jsonb default '[]'::jsonb not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (webhook_id, event_id)
);
CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_by_status ON public.webhook_deliveries USING btree (webhook_id, status, event_id);
CREATE INDEX webhook_deliveries_by_subject ON public.webhook_deliveries USING btree (webhook_id, subject, event_id) WHERE (status = 'Pending'::text);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, next_attempt_at, event_id) WHERE (status = 'Pending'::text);

create table webhook_receivers (
  webhook_id text collate "C" not null,
  from_position bigint not null,
  types text[] not null,
  subject text collate "C",
  paused boolean default false not null,
  failures integer default 0 not null,
  failing_since timestamp with time zone,
  held_until timestamp with time zone,
  tenant text collate "C" default ''::text not null,
  constraint webhook_receivers_pkey PRIMARY KEY (webhook_id)
);
CREATE INDEX webhook_receivers_by_tenant ON public.webhook_receivers USING btree (tenant) WHERE (tenant <> ''::text);

create table webhook_replays (
  webhook_id text collate "C" not null,
  tx xid8 not null,
  "position" bigint not null,
  last_position bigint not null,
  constraint webhook_replays_pkey PRIMARY KEY (webhook_id)
);

CREATE OR REPLACE FUNCTION public.data_key_is_needed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
begin
  if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') or exists (
      select from events where stream_id = old.stream_id
        and (type in ('PersonalDataErased', 'WebhookDeleted') or metadata->>'dataKey' = 'destroyed')) then
    return old;
  end if;
  raise exception 'The data key of % is needed: no event says that it was destroyed.', old.stream_id
    using errcode = 'insufficient_privilege';
end
$function$;
-- for its owner

CREATE OR REPLACE FUNCTION public.look_at_clock()
 RETURNS TABLE(steady boolean, doubted boolean)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
AS $function$
  insert into clock_watch as watch (seen_at, steady_since) values (clock_timestamp(), clock_timestamp())
  on conflict (singleton) do update set
    seen_at = excluded.seen_at,
    steady_since = case
      when excluded.seen_at between watch.seen_at - interval '1 minute' and watch.seen_at + interval '1 hour'
      then watch.steady_since else excluded.seen_at end,
    doubted = case
      when excluded.seen_at between watch.seen_at - interval '1 minute' and watch.seen_at + interval '1 hour'
      then watch.doubted and watch.steady_since > excluded.seen_at - interval '6 hours' else true end
  returning watch.steady_since <= watch.seen_at - interval '6 hours', watch.doubted
$function$;
-- for its owner

CREATE OR REPLACE FUNCTION public.remove_old_audit(days integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
AS $function$
  with removed as (
    delete from audit where id in (
      select id from audit where recorded_at < now() - make_interval(days => greatest(days, 30))
        and exists (
          select from clock_watch
          where seen_at between now() - interval '1 hour' and now() + interval '1 minute'
            and steady_since <= now() - interval '6 hours')
      order by recorded_at limit 5000)
    returning 1)
  select count(*)::integer from removed
$function$;
-- for its owner

CREATE OR REPLACE FUNCTION public.tenants_are_here(marks text[])
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('tenant ' || mark, 0)) from unnest(marks) as r (mark) order by mark;
  if exists (select from moving_tenants where tenant = any(marks)) then
    raise exception 'The tenant is being moved to another store.' using errcode = 'SW001';
  end if;
  return true;
end
$function$;
-- for its owner
