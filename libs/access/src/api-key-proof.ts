import type { Finding, SqlExecutor } from '@app/event-store';
import type { ProofKeys } from '@app/keys';
import { ApiKeyRecords } from './api-key-records';

/** Checks the proof of every API key. Finds nothing while there are no proof keys. */
export async function* checkApiKeys(executor: SqlExecutor, proofs: ProofKeys): AsyncGenerator<Finding, void> {
  if (!proofs.exist) return;
  for (const key of await new ApiKeyRecords(executor, proofs).all()) {
    if (!key.isProven) yield { subject: `API key ${key.id}`, fault: 'was added or changed outside the service' };
  }
}
