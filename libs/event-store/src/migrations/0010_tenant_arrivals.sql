-- Transactions that brought what a tenant had stored in another store: events that are older than those before them. They only say where reading
-- again begins, so rows are not proven. A move writes them as the owner; the service reads them.
create table tenant_arrivals (
  tx         xid8        primary key,
  tenant     text        collate "C" not null,
  arrived_at timestamptz not null default now()
);
create index tenant_arrivals_by_time on tenant_arrivals (arrived_at);
