import type { AccessToken } from '@app/authorization';
import type { Settings } from '@app/config';
import type { Grant } from '@app/offers';
import { hashOfSecret } from '@app/keys';
import type { QueryBus } from '@nestjs/cqrs';
import type { CredentialRecords } from './credential-records';
import type { CredentialSigner } from './credential-signer';
import type { GrantedCredentials } from './granted-credentials';
import { IssueCredentials, IssueCredentialsHandler } from './issue.handlers';
import type { ProofVerifier } from './proof-verifier';

const now = new Date('2026-03-01T12:00:00Z');
const token: AccessToken = {
  grant: { kind: 'authorization_code', hash: hashOfSecret('grant') },
  covers: [1],
  expiresAt: now,
  submittableUntil: now,
};
/** As a token sees it that was refreshed for the second credential alone. */
const grant: Grant = {
  authorizationId: 'a1',
  configurationIds: ['membership'],
  identifiersGiven: false,
  credentials: [
    { configurationId: 'diploma', credentialId: 'a1.1' },
    { configurationId: 'membership', credentialId: 'a1.2' },
  ],
  data: 'authorization',
  now,
};

function collect(index: number): Promise<unknown> {
  const granted = { grantAwaiting: () => Promise.resolve(grant) } as unknown as GrantedCredentials;
  const queries = { execute: () => Promise.reject(new Error('looks for the configuration')) } as unknown as QueryBus;
  const [records, signer, proofs] = [{} as CredentialRecords, {} as CredentialSigner, {} as ProofVerifier];
  const handler = new IssueCredentialsHandler(queries, granted, records, signer, proofs, {} as Settings);
  return handler.execute(new IssueCredentials(token, { transaction: { index } }));
}

it('collects no deferred credential that the access token does not cover', async () => {
  await expect(collect(0)).rejects.toMatchObject({ code: 'invalid_transaction_id' });
  await expect(collect(1)).rejects.toThrow('looks for the configuration');
});
