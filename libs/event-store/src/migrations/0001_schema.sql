-- The rights of the service's role are in database/grants.ts: the owner migrates, the role cannot change history.

-- The truth. Rows are only ever added.
create table events (
  -- Commit order for readers: see subscription.ts. Assigned by the append itself, the first write of its transaction.
  tx          xid8        not null default pg_current_xact_id(),
  position    bigint      not null generated always as identity,
  stream_id   text        collate "C" not null,
  version     integer     not null check (version > 0),
  type        text        not null,
  data        jsonb       not null,
  metadata    jsonb       not null,
  recorded_at timestamptz not null default now(),
  -- The generation of the key (1 byte) and HMAC-SHA-256 over the content: see proofs.ts.
  proof       bytea,
  -- The conflict check: a second writer of a version fails here.
  constraint events_pkey primary key (stream_id, version)
);
create index events_in_commit_order on events (tx, position);
-- Who has handled an event knows its position, and goes on behind it. The rows stand in nearly this order: a block range
-- index has a few bytes for each 128 pages and costs appends nothing.
create index events_by_position on events using brin (position) with (autosummarize = on);
-- Replicas ask every two seconds whose personal data was erased lately. Other events leave this index as it is, and the next.
create index events_of_erasures on events (recorded_at) where type = 'PersonalDataErased';
-- The changes of a status list are compared with the events that brought them.
create index events_of_status_lists on events ((data->'statusChange'->>'listId'), position) where data ? 'statusChange';

-- What the events fold into. Disposable: `rebuild` makes it again.
create table streams (
  stream_id    text        collate "C" primary key,
  category     text        collate "C" not null,
  parent       text        collate "C",
  version      integer     not null,
  state        jsonb       not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  -- What lists of credentials are filtered by, so that a page costs the same however many credentials there are. Empty for
  -- everything else: where no indexed column changes, the update of a state needs no new index entry.
  template_id  text        collate "C" generated always as (case category when 'credential' then state->>'templateId' end) stored,
  status       text        collate "C" generated always as (case category when 'credential' then state->>'status' end) stored,
  -- The proof of the stream's last event, of which the next one makes part.
  head         bytea,
  -- Which version of its fold made the state, and up to which event: see fold-version.ts.
  fold_version integer,
  fold_upto    integer
);
create index streams_by_category on streams (category, created_at, stream_id);
create index streams_by_parent on streams (category, parent, created_at, stream_id) where parent is not null;
create index streams_by_template on streams (template_id, created_at, stream_id) where template_id is not null;
create index streams_by_status on streams (status, created_at, stream_id) where status is not null;
create index streams_by_template_and_status on streams (template_id, status, created_at, stream_id)
  where template_id is not null and status is not null;
-- Lists in one state: its name and the time of expiry in one text, so that those whose time has come stand together. The texts
-- are those of state-list-statement.ts.
create index offers_by_state on streams
  (((case when state ? 'isPublic' and state->>'status' = 'open' then 'online' else state->>'status' end)
    || ' ' || (state->>'expiresAt')) collate "C", stream_id)
  where category = 'offer';
create index authorization_requests_by_status on streams
  (((state->>'status') || ' ' || (state->>'expiresAt')) collate "C", stream_id)
  where category = 'authorization_request';
create index authorizations_by_status on streams
  (((state->>'status') || ' ' || (state->>'completableUntil')) collate "C", stream_id)
  where category = 'authorization';
-- Credentials in the order of issue, all of them, those that one key has signed, and those with one status in their status list.
-- What was not issued yet is in no index. The expressions are those of issue-list-statement.ts.
create index credentials_by_issue on streams
  (((case category when 'credential' then state->>'issuedAt' end) collate "C"), stream_id)
  where (case category when 'credential' then state->>'issuedAt' end) is not null;
create index credentials_by_signing_key on streams
  (((case category when 'credential' then state->>'signingKeyId' end) collate "C"),
   ((case category when 'credential' then state->>'issuedAt' end) collate "C"), stream_id)
  where (case category when 'credential' then state->>'signingKeyId' end) is not null;
create index credentials_by_validity on streams
  (((case category when 'credential' then state->>'validity' end) collate "C"),
   ((case category when 'credential' then state->>'issuedAt' end) collate "C"), stream_id)
  where (case category when 'credential' then state->>'validity' end) is not null;
-- Streams whose personal data is to be erased at a time. The text is that of due-erasures.ts.
create index streams_to_erase on streams (((state->>'eraseAt') collate "C"), stream_id)
  where state ? 'eraseAt' and not state ? 'erasedAt';

-- The version of its fold with which all states of a category were made once, and when that was.
create table folds (
  category     text        collate "C" primary key,
  fold_version integer     not null,
  folded_at    timestamptz not null default now()
);

-- Single-use values, as hashes. The primary key is what makes them single-use.
create table consumed (
  kind       text  collate "C" not null,
  value_hash bytea not null,
  stream_id  text  collate "C",
  expires_at timestamptz,
  -- A few sealed bytes that are kept as long as the value: the answer that belongs to an idempotency key.
  note       text,
  proof      bytea,
  constraint consumed_pkey primary key (kind, value_hash)
);
create index consumed_by_expiry on consumed (expires_at) where expires_at is not null;

-- Wrapped data keys of personal data, apart from the events so that destroying one erases the person.
create table data_keys (
  stream_id  text  collate "C",
  sealed_key bytea not null,
  created_at timestamptz not null default now(),
  constraint data_keys_pkey primary key (stream_id)
);
-- The service's role erases a person by an event, and not by SQL alone: whoever has taken it over leaves a trace, since an event
-- that was added by hand is not proven. The owner of the table may do as it likes.
create function data_key_is_needed() returns trigger
  language plpgsql volatile set search_path from current
as $$
begin
  if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') or exists (
      select from events where stream_id = old.stream_id
        and (type in ('PersonalDataErased', 'WebhookDeleted') or metadata->>'dataKey' = 'destroyed')) then
    return old;
  end if;
  raise exception 'The data key of % is needed: no event says that it was destroyed.', old.stream_id
    using errcode = 'insufficient_privilege';
end
$$;
revoke all on function data_key_is_needed() from public;
create trigger data_key_is_needed before delete on data_keys for each row execute function data_key_is_needed();

-- The database that has the erasure keys of this store, if there is one. One row.
create table erasure_key_database (
  singleton     boolean     primary key default true check (singleton),
  -- What that database calls itself.
  id            uuid        not null,
  -- The erasures recorded there up to this time have been repeated in this database, which was restored from a backup.
  replayed_upto timestamptz not null default '-infinity'
);

-- The last event each subscription has handled.
create table subscriptions (
  name     text   collate "C" primary key,
  tx       xid8   not null,
  position bigint not null
);

-- Signed digests of the events in the order in which they came, see checkpoint.ts. Rows are only ever added.
create table checkpoints (
  number  bigint  primary key check (number > 0),
  -- The lowest and the highest position of an event that it covers.
  lowest  bigint  not null,
  highest bigint  not null,
  -- Compact JWS; all that is said stands in its payload.
  signed  text    not null
);
create index checkpoints_by_reach on checkpoints (highest, lowest);

-- The key ring of libs/keys: private parts only sealed.
create table key_store (
  id         text        collate "C" primary key,
  purpose    text        not null,
  algorithm  text,
  status     text        not null,
  public_jwk jsonb,
  sealed     text        not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- That this service wrote the row: a MAC under a key of this table. Null until the proof key is made.
  proof      bytea,
  -- The chain of certificates that vouches for a key: PEM, the leaf first, without the trust anchor.
  chain      text
);
-- Keys are few, but every replica lists them every two seconds.
create index key_store_by_purpose on key_store (purpose, created_at, id);

-- Keys of management callers. Of a key itself only its hash: with 256 random bits a plain SHA-256 cannot be turned back.
create table api_keys (
  id           text        collate "C" primary key,
  name         text        not null,
  hash         bytea       not null,
  scopes       text[]      not null,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  -- Whose keys are changed for one another.
  client       text,
  -- As in the key store.
  proof        bytea
);
create index api_keys_by_creation on api_keys (created_at, id);

-- How often a client failed in the present minute, shared by the replicas. Unlogged: losing it in a crash costs nothing.
create unlogged table rate_limits (
  name         text        not null,
  client       text        not null,
  window_start timestamptz not null,
  count        integer     not null,
  primary key (name, client, window_start)
);
create index rate_limits_window on rate_limits (window_start);

-- Who did what: every change by a management caller, every read of personal data, also refused ones. No claims,
-- codes or tokens. Rows are only ever added.
create table audit (
  -- Chosen by the writer, so that a row whose write was lost on its way can be written again and stays one.
  id          uuid        primary key,
  recorded_at timestamptz not null default now(),
  principal   text        collate "C" not null,
  client      text        collate "C",
  action      text        collate "C" not null,
  object      text        collate "C",
  outcome     text        collate "C" not null,
  request_id  text        collate "C",
  -- How many refusals of unauthenticated callers one row stands for.
  count       integer     not null default 1
);
create index audit_by_time on audit (recorded_at, id);
create index audit_by_principal on audit (principal, recorded_at, id);
create index audit_by_client on audit (client, recorded_at, id) where client is not null;
create index audit_by_action on audit (action, recorded_at, id);
create index audit_by_object on audit (object, recorded_at, id) where object is not null;
-- Nearly all actions have the outcome `ok`: who asks for these reads them by time. The predicate is that of audit-table.ts.
create index audit_by_outcome on audit (outcome, recorded_at, id) where outcome <> 'ok';

-- How the database's clock has gone, look by look. One row.
create table clock_watch (
  singleton    boolean     primary key default true check (singleton),
  -- What the clock showed at the last look.
  seen_at      timestamptz not null,
  -- Since when each look came within an hour of the one before, and not before it.
  steady_since timestamptz not null,
  -- Whether it has jumped, or nobody looked for more than an hour, and it has not gone steadily for six hours since.
  doubted      boolean     not null default false
);
-- Looks at the clock. Belongs to the owner of the table: whoever has taken the service's role over cannot make a clock
-- that jumped look steady.
create function look_at_clock() returns table (steady boolean, doubted boolean)
  language sql volatile security definer set search_path from current
as $$
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
$$;
revoke all on function look_at_clock() from public;

-- Retention, as the owner of the table: the service's own role deletes nothing here, and nobody who has taken it over can
-- remove what is younger than thirty days, and only by a clock that has just been looked at and has gone steadily for six hours.
create function remove_old_audit(days integer) returns integer
  language sql volatile security definer set search_path from current
as $$
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
$$;
revoke all on function remove_old_audit(integer) from public;

-- What became of the entries of status lists, as the events of the credentials say: a projection, which can be made
-- again from them. Rows are only ever added; the latest one of an entry counts.
create table status_list_versions (
  list_id text   collate "C" primary key,
  -- Rises with each addition to the list's changes.
  version bigint not null,
  -- Of the list's changes, each version's over the one before, and a proof of it: see change-chain.ts.
  digest  bytea,
  -- The highest position of an event whose changes are in it.
  upto    bigint,
  proof   bytea
);
create table status_changes (
  list_id        text        collate "C" not null,
  entry          integer     not null,
  -- Of the credential's stream, with the event that brought the change.
  stream_version integer     not null,
  -- Token Status List §7.1: 0 valid, 1 revoked, 2 suspended.
  status         smallint    not null,
  changed_at     timestamptz not null,
  -- The version of the list that has it first.
  list_version   bigint      not null,
  primary key (list_id, entry, stream_version)
);
-- A replica reads what came after the version it has.
create index status_changes_by_version on status_changes (list_id, list_version);

-- What is sent where, made from the events of webhooks by the reader that hands events out to them (libs/events/src/webhooks).
create table webhook_receivers (
  webhook_id    text        collate "C" primary key,
  -- Of the event that created the webhook; only later ones are sent.
  from_position bigint      not null,
  -- Empty for all of them.
  types         text[]      not null,
  subject       text        collate "C",
  paused        boolean     not null default false,
  -- Failures since the last success, of whatever event.
  failures      integer     not null default 0,
  failing_since timestamptz,
  -- Nothing is sent before, because the receiver failed repeatedly or asked for it.
  held_until    timestamptz
);

-- The work, and its log. An event is sent to a webhook once it has a row here, until the row says otherwise.
create table webhook_deliveries (
  webhook_id      text        collate "C" not null,
  -- The id of the event: its position in the store.
  event_id        bigint      not null,
  type            text        collate "C" not null,
  subject         text        collate "C" not null,
  body            text        not null,
  status          text        collate "C" not null default 'Pending',
  created_at      timestamptz not null,
  -- Of later events of the subject it is never earlier, so that what waits is not read again and again.
  next_attempt_at timestamptz not null,
  -- Since it was scheduled, or scheduled again.
  attempts        integer     not null default 0,
  -- What became of the latest attempts, the oldest first.
  log             jsonb       not null default '[]',
  constraint webhook_deliveries_pkey primary key (webhook_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, event_id) where status = 'Pending';
create index webhook_deliveries_by_subject on webhook_deliveries (webhook_id, subject, event_id) where status = 'Pending';
create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, event_id);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- Events that are to be sent to a webhook again. While there is a row, new ones are handed out by the same reader, so that
-- those of a subject stay in order.
create table webhook_replays (
  webhook_id    text   collate "C" primary key,
  -- The last event that was handed out, in commit order.
  tx            xid8   not null,
  position      bigint not null,
  -- The last one to hand out.
  last_position bigint not null
);
