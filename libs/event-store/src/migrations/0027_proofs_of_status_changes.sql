-- What a status list says is proven, see change-chain.ts: a digest of the list's changes, each version's over the one before,
-- and a proof of it, as in 0012. Null in rows that earlier releases write.
alter table status_list_versions add column digest bytea;
-- The highest position of an event whose changes are in it.
alter table status_list_versions add column upto bigint;
alter table status_list_versions add column proof bytea;

-- The changes of a list are compared with the events that brought them. Other events leave this index as it is. Operators of
-- large stores may build it beforehand, as those of 0007.
create index if not exists events_of_status_lists on events ((data->'statusChange'->>'listId'), position)
  where data ? 'statusChange';

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

-- Least privilege, as in 0001; what is not needed any more is taken back by "sealwright grants --apply":
--   grant select, insert, update on status_list_versions to app;
--   grant select, insert         on status_changes       to app;
