import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/service/service';
import type { TestPostgres } from '../support/database/postgres';
import { type Abilities, type Contender, contend } from './contenders';
import type { CpuMeter } from './cpu';
import { json } from './flow';
import { compare, contendersOf, type FlowRates } from './flow-rates';
import type { HttpClient } from './http-client';
import { mostInFlight, type Plan } from './plan';
import { sdJwtCard } from './cards';
import { root, startProgram } from './service-process';

const folder = join(root, 'test/bench/peers');
const preAuthorized = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** How to use what each peer has at a listener. All of them answer with credentials of the same type and claims. */
const peers: Readonly<Record<string, (url: string) => Abilities>> = {
  Credo: (url) => ({
    issuer: {
      identifier: `${url}/oid4vci/bench`,
      metadata: [
        '/.well-known/openid-credential-issuer/oid4vci/bench',
        '/.well-known/oauth-authorization-server/oid4vci/bench',
      ],
      async offer(client, claims) {
        const made = await client.send({ method: 'POST', path: '/portal/offers', ...json({ claims }) });
        return (JSON.parse(made) as { credentialOffer: string }).credentialOffer;
      },
      credentialRequest: (proof) => ({ credential_configuration_id: 'card', proofs: { jwt: [proof] } }),
    },
    verifier: {
      async ask(client) {
        const body = json({ query: { credentials: [sdJwtCard.query] } });
        const made = await client.send({ method: 'POST', path: '/portal/requests', ...body });
        const { id, authorizationRequest } = JSON.parse(made) as { id: string; authorizationRequest: string };
        return { id, link: authorizationRequest };
      },
      async isVerified(client, id) {
        return (await client.send({ method: 'GET', path: `/portal/requests/${id}` })).includes('Ada');
      },
    },
    isDurable: false,
  }),
  Sphereon: (url) => ({
    issuer: {
      identifier: `${url}/oid4vci`,
      metadata: ['/.well-known/openid-credential-issuer/oid4vci', '/.well-known/oauth-authorization-server/oid4vci'],
      async offer(client, claims) {
        const made = await client.send({
          method: 'POST',
          path: '/oid4vci/webapp/credential-offers',
          ...json({
            credential_configuration_ids: ['card'],
            grants: { [preAuthorized]: { 'pre-authorized_code': crypto.randomUUID() } },
            offerMode: 'REFERENCE',
            credentialDataSupplierInput: claims,
          }),
        });
        return (JSON.parse(made) as { uri: string }).uri;
      },
      credentialRequest: (proof) => ({ credential_configuration_id: 'card', proofs: { jwt: [proof] } }),
    },
    verifier: undefined,
    isDurable: false,
  }),
};

/** The service, its floor and other implementations in alternation, each in a process of its own. */
export async function comparePeers(postgres: TestPostgres, cpu: CpuMeter, plan: Plan): Promise<FlowRates> {
  installPeers();
  const contenders = await contendersOf(postgres, plan);
  for (const [name, abilities] of Object.entries(peers)) contenders.set(name, await startPeer(name, abilities, plan));
  return compare(contenders, cpu, plan, [1, mostInFlight]);
}

async function startPeer(name: string, abilities: (url: string) => Abilities, plan: Plan): Promise<Contender> {
  const port = await freePort();
  const settings = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', PORT: String(port) };
  const program = await startProgram(`${name.toLowerCase()}.mjs`, { port, settings, directory: folder });
  return contend(program, plan, (_client: HttpClient) => Promise.resolve(abilities(program.url)));
}

/** Their packages are no part of the product: they have a folder and a lockfile of their own. */
function installPeers(): void {
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return;
  process.stdout.write('Installing Credo and Sphereon in test/bench/peers.\n');
  try {
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  } catch (error) {
    throw new Error(
      'The peers could not be installed. Run "npm ci" in test/bench/peers, which needs a package registry.',
      { cause: error },
    );
  }
}
