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

-- There are no webhooks yet, so their reader need not begin with the first event.
insert into subscriptions (name, tx, position)
  select 'webhooks', tx, position from events order by tx desc, position desc limit 1;

-- Least privilege, as in 0001:
--   grant select, insert, update, delete on webhook_receivers, webhook_deliveries, webhook_replays to app;
