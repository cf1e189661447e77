import type { Finding, SqlExecutor } from '@app/event-store';
import type { ProofKeys } from '@app/keys';
import { API_KEYS, apiKeyColumns, type ApiKeyRow, apiKeyContent } from './api-key';
import { ApiKeyRecords } from './api-key-records';

/** Gives their proofs to the keys of before there were proofs. */
export async function proveApiKeys(executor: SqlExecutor, proofs: ProofKeys): Promise<void> {
  const prover = proofs.for(API_KEYS);
  const rows = await executor.query<ApiKeyRow>({
    name: 'api-key-unproven',
    text: `select ${apiKeyColumns} from api_keys where proof is null order by created_at, id`,
    values: [],
  });
  for (const row of rows) {
    await executor.query({
      name: 'api-key-prove',
      text: 'update api_keys set proof = $2 where id = $1',
      values: [row.id, prover.prove(apiKeyContent(row))],
    });
  }
}

/** Checks the proof of every API key. Finds nothing while there are no proof keys. */
export async function* checkApiKeys(executor: SqlExecutor, proofs: ProofKeys): AsyncGenerator<Finding, void> {
  if (!proofs.exist) return;
  for (const key of await new ApiKeyRecords(executor, proofs).list()) {
    if (!key.isProven) yield { subject: `API key ${key.id}`, fault: 'was added or changed outside the service' };
  }
}
