import { documentSignerFor, ecKeys, iacaRoot } from '@app/identity/fixtures/document-certificates';
import { createPublicKey, KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestPostgres } from '../support/database/postgres';
import { mdocCard } from './cards';
import { contendingService, loadOf, type ServiceContender } from './contenders';
import type { CpuMeter } from './cpu';
import { type Load, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import { install } from './service-process';

const callers = 8;
/** Parts of a round, as in `builds`. */
const turns = 4;

export type FormatCosts = Readonly<Record<`${'issuing' | 'verifying'} ${'SD-JWT VC' | 'mdoc'}`, Measured>>;

/** Both flows with a credential of six claims as an SD-JWT VC and as an mdoc, alternating, each with a database of its own. */
export async function formatCosts(postgres: TestPostgres, cpu: CpuMeter, plan: Plan): Promise<FormatCosts> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-documents-'));
  try {
    const signer = await documentSigner(directory);
    const sdJwt = await contendingService(install(await postgres.createDatabase()), plan);
    const installation = install(await postgres.createDatabase());
    const settings = { ...installation.settings, ...signer };
    const mdoc = await contendingService({ ...installation, settings }, plan, {}, mdocCard);
    const load = (service: ServiceContender, name: 'issuing' | 'verifying'): Load => ({
      ...loadOf(service, service[name], callers, { postgres: cpu }),
      until: { seconds: plan.seconds / turns },
    });
    // What is compared is measured under the same conditions, whatever they are.
    const costs = await turnByTurn(
      { ...plan, rounds: plan.rounds * turns, others: () => undefined },
      {
        'issuing SD-JWT VC': load(sdJwt, 'issuing'),
        'issuing mdoc': load(mdoc, 'issuing'),
        'verifying SD-JWT VC': load(sdJwt, 'verifying'),
        'verifying mdoc': load(mdoc, 'verifying'),
      },
    );
    await Promise.all([sdJwt.close(), mdoc.close()]);
    return costs;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Settings of a service that signs documents. */
async function documentSigner(directory: string): Promise<Record<string, string>> {
  const now = new Date();
  const [root, { privateKey }] = [await iacaRoot(now), await ecKeys()];
  const key = KeyObject.from(privateKey);
  const spki = createPublicKey(key.export({ type: 'pkcs8', format: 'pem' })).export({ type: 'spki', format: 'der' });
  const leaf = await documentSignerFor(spki, root, now);
  const file = (name: string, content: string): string => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  return {
    SERVICE__CERTIFICATES__DOCUMENTS__CHAIN_FILE: file(
      'chain.pem',
      `${leaf.toString('pem')}\n${root.certificate.toString('pem')}\n`,
    ),
    SERVICE__CERTIFICATES__DOCUMENTS__KEY_FILE: file('key.pem', String(key.export({ type: 'pkcs8', format: 'pem' }))),
  };
}
