-- Replicas ask every two seconds whose personal data was erased lately. Other events leave this index as it is.
-- Operators of large stores may build it beforehand, as those of 0007.
create index if not exists events_of_erasures on events (recorded_at) where type = 'PersonalDataErased';
