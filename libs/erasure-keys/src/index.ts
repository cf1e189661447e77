export { hashOfStream } from './erased-streams';
export { ErasureFollower } from './erasure-follower';
export { forgetDatabase, noteDatabase, notedDatabase, noteReplayed } from './erasure-key-database';
export { ErasureKeys } from './erasure-keys';
export { ERASURE_KEYS, ErasureKeysModule } from './erasure-keys.module';
export { recordedErasures } from './erasure-records';
export {
  assertComplete,
  assertOwn,
  connectErasureKeys,
  erasureKeyGrants,
  ErasureKeysError,
  erasureKeyVersions,
  migrateErasureKeys,
} from './open-erasure-keys';
export { erasuresKnownIn, type ErasureTimes, erasureTimesOf, streamsToErase } from './replay';
