-- Further stores have what tenants store; the first one has the tenants, the keys and all that is of the service itself.
-- Which store of which deployment this database is, once there was a further one. One row.
create table store_identity (
  singleton  boolean primary key default true check (singleton),
  -- The same in all stores of a deployment.
  deployment uuid    not null,
  -- Empty for the first one.
  name       text    collate "C" not null
);
-- Tenants that are being moved out of this store, or were: nothing more is appended for them here.
create table moving_tenants (
  tenant   text        collate "C" primary key,
  since    timestamptz not null default now()
);
-- Raises SW001 when one of the tenants moves. It reads with a snapshot of its own, behind a lock that the move
-- takes alone: an append comes before the move, and is moved, or sees it.
create function tenants_are_here(marks text[]) returns boolean
  language plpgsql volatile set search_path from current
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('tenant ' || mark, 0)) from unnest(marks) as r (mark) order by mark;
  if exists (select from moving_tenants where tenant = any(marks)) then
    raise exception 'The tenant is being moved to another store.' using errcode = 'SW001';
  end if;
  return true;
end
$$;
revoke all on function tenants_are_here(text[]) from public;
