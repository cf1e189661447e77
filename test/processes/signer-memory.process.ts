import { openDriver } from '@app/event-store';
import { openExistingKeys } from '@app/keys';
import { SigningKey } from '@app/keys/src/signing/signing-key';
import type { JsonWebKey } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedPostgres } from '../support/database/postgres';
import { answered } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { sealwrightWith } from '../support/service/command-line';
import { startServiceProcess } from '../support/service/service-process';
import { fakeHttp, httpToken } from '../support/signers/fake-http';
import { startFakeSigner } from '../support/signers/fake-signer';
import { verifies } from '../support/wallets/credentials';
import { credentialsOf, openSession, requestCredential } from '../support/wallets/wallet';

/** As texts have it, as bytes, and as numbers of OpenSSL have it on most machines. */
function formsOf(scalar: string): Buffer[] {
  const bytes = Buffer.from(scalar, 'base64url');
  return [Buffer.from(scalar), bytes, Buffer.from(bytes).reverse(), Buffer.from(bytes.toString('hex'))];
}

/** Whether any of the texts is in the memory that the process can write to. */
function holds(pid: number, forms: readonly Buffer[]): boolean {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    const regions = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm);
    return [...regions].some(([, first = '', end = '']) =>
      regionHolds(memory, BigInt(`0x${first}`), BigInt(`0x${end}`), forms),
    );
  } finally {
    closeSync(memory);
  }
}

function regionHolds(memory: number, first: bigint, end: bigint, forms: readonly Buffer[]): boolean {
  const window = Buffer.alloc(1 << 20);
  const overlap = 128n;
  for (let at = first; at < end; at += BigInt(window.length) - overlap) {
    const length = Math.min(window.length, Number(end - at));
    try {
      const read = window.subarray(0, readSync(memory, window, 0, length, at));
      if (forms.some((form) => read.includes(form))) return true;
    } catch {
      // Given back meanwhile, or of a device.
    }
  }
  return false;
}

const readable = existsSync('/proc/self/mem') ? it : it.skip;

readable(
  'no private half of a key at a signer is in the memory of the service, as those of its own keys are',
  async () => {
    const database = await sharedPostgres().createDatabase();
    const directory = mkdtempSync(join(tmpdir(), 'signer-memory-'));
    const password = 'Canary-stronghold-7f3a91';
    writeFileSync(join(directory, 'token'), httpToken);
    const signer = await startFakeSigner(fakeHttp());
    const settings = {
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: database,
      SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: password,
      SERVICE__SIGNER__HSM__TYPE: 'http',
      SERVICE__SIGNER__HSM__URL: `${signer.url}/signer`,
      SERVICE__SIGNER__HSM__TOKEN_FILE: join(directory, 'token'),
      SERVICE__SIGNER__FOR_CREDENTIALS: 'hsm',
    };
    const service = await startServiceProcess(database, undefined, settings);
    try {
      const { publicJwk, privateKey } = signer.add('credentials', 'ES256');
      expect(await sealwrightWith(settings, ['keys', 'adopt', 'credentials', '--provider', 'hsm'])).toMatchObject({
        code: 0,
      });
      const { link } = await prepareOffer(service.url, [await publishedTemplate(service.url)]);
      const session = await openSession(link);
      let reply = await requestCredential(session);
      // Running replicas follow within seconds.
      while (reply.status === 503) reply = await requestCredential(session);
      const [credential = ''] = credentialsOf(answered(200, reply));
      const jwt = credential.split('~')[0] ?? '';
      expect(verifies(jwt, publicJwk)).toBe(true);
      expect(holds(service.pid, formsOf(String(privateKey.export({ format: 'jwk' }).d)))).toBe(false);

      const opened = jest.spyOn(SigningKey, 'fromPrivateJwk');
      const driver = await openDriver({ type: 'postgres', connectionString: database });
      const ring = await openExistingKeys(driver, password);
      const own = opened.mock.calls.map(([, text]) => (JSON.parse(text) as JsonWebKey).d ?? '');
      expect(own.map((scalar) => holds(service.pid, formsOf(scalar)))).toEqual([true, true]);
      await ring.onApplicationShutdown();
      await driver.close();
    } finally {
      await service.stop();
      await signer.stop();
      rmSync(directory, { recursive: true });
    }
  },
);
