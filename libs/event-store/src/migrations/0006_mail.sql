-- What is handed over to persons by mail or letter: the work of the mailers, and its log (libs/mail). No row says who it was: the address is
-- sealed with the offer. Rows are not proven: whoever alters one sends a mail twice, or not, and no wallet believes anything else.
-- The service reads, adds, changes and removes them.
create table offer_deliveries (
  delivery_id     text        collate "C" primary key,
  tenant          text        collate "C" not null default '',
  offer_id        text        collate "C" not null,
  channel         text        collate "C" not null,
  -- Of the recipient when null.
  locale          text        collate "C",
  status          text        collate "C" not null default 'Queued',
  -- Why it failed or came back, or what the last attempt came to; never what a server wrote.
  reason          text,
  attempts        integer     not null default 0,
  attempted_at    timestamptz,
  created_at      timestamptz not null,
  next_attempt_at timestamptz not null,
  changed_at      timestamptz not null
);
-- One mail of an offer is on its way at a time, so that nobody gets it twice.
create unique index offer_deliveries_queued on offer_deliveries (tenant, offer_id) where status = 'Queued';
create index offer_deliveries_due on offer_deliveries (tenant, next_attempt_at, delivery_id) where status = 'Queued';
create index offer_deliveries_by_offer on offer_deliveries (tenant, offer_id, created_at, delivery_id);
create index offer_deliveries_by_attempt on offer_deliveries (attempted_at) where attempted_at is not null;
create index offer_deliveries_by_age on offer_deliveries (created_at);
