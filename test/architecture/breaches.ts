/** A file that breaks walls of the house. */
export interface Breach {
  readonly what: string;
  readonly file: string;
  /** Who notices: dependency-cruiser or ESLint. The other one finds nothing. */
  readonly by: 'cruise' | 'lint';
  /** The module that the file imports, or its whole text. */
  readonly imports?: string;
  readonly text?: string;
  readonly breaks: readonly string[];
}

const giving = (expression: string): string => `export const use = (): unknown => ${expression};\n`;
const named = (names: string): string => `import ${names};\nexport { use };\n`;
const deciding = (expression: string): string =>
  `import { DateTime } from 'luxon';
import type { OfferEvent } from './offer/offer';
export const use = DateTime;
export const decide = (): OfferEvent[] => (${expression} ? [] : []);
`;

/** Breaches that the linter sees, each in a file of its own. */
function said(library: string, rule: string, text: (of: string) => string, ones: readonly string[]): Breach[] {
  return ones.map((one, index) => ({
    what: `in ${library}: ${one}`,
    file: `libs/${library}/src/planted-${rule}-${text.name}-${index}.ts`,
    by: 'lint',
    text: text(one),
    breaks: [rule],
  }));
}

export const breaches: readonly Breach[] = [
  {
    what: 'a module past the door of another',
    file: 'libs/offers/src/planted.ts',
    by: 'cruise',
    imports: '@app/templates/src/template/template',
    breaks: ['libraries-are-entered-by-their-door'],
  },
  {
    what: 'a module past the door of another, by a relative path',
    file: 'libs/issuance/src/planted-relative.ts',
    by: 'cruise',
    imports: '../../offers/src/offer/offer',
    breaks: ['libraries-are-entered-by-their-door'],
  },
  {
    what: 'a module at the Nest module of another',
    file: 'libs/issuance/src/planted-module.ts',
    by: 'cruise',
    imports: '@app/offers/src/offers.module',
    breaks: ['libraries-are-entered-by-their-door'],
  },
  {
    what: 'a new library past the door of a module',
    file: 'libs/newlib/src/index.ts',
    by: 'cruise',
    imports: '@app/templates/src/template/template',
    breaks: ['imports-go-down', 'libraries-are-entered-by-their-door', 'platform-knows-no-module'],
  },
  {
    what: 'a new module that has no floor',
    file: 'libs/newmodule/src/api.ts',
    by: 'cruise',
    imports: '@app/offers',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a module that imports one above it',
    file: 'libs/templates/src/planted.ts',
    by: 'cruise',
    imports: '@app/offers',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a module that imports its neighbour',
    file: 'libs/verification/src/planted.ts',
    by: 'cruise',
    imports: '@app/offers',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a library that looks up',
    file: 'libs/http/src/context/planted.ts',
    by: 'cruise',
    imports: '@app/access',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a library of the ground that imports another',
    file: 'libs/primitives/src/json/planted.ts',
    by: 'cruise',
    imports: '@app/http',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a platform library that knows a module',
    file: 'libs/http/src/planted.ts',
    by: 'cruise',
    imports: '@app/templates',
    breaks: ['imports-go-down', 'platform-knows-no-module'],
  },
  {
    what: 'a library that knows an app',
    file: 'libs/primitives/src/planted.ts',
    by: 'cruise',
    imports: '../../../apps/server/src/version',
    breaks: ['libraries-do-not-know-apps'],
  },
  {
    what: 'an app in a private file of a module',
    file: 'apps/server/src/planted.ts',
    by: 'cruise',
    imports: '@app/offers/src/offer/offer-secrets',
    breaks: ['apps-only-compose'],
  },
  {
    what: 'an app in a private file of another app',
    file: 'apps/development/src/planted.ts',
    by: 'cruise',
    imports: '../../server/src/greeting',
    breaks: ['apps-only-compose'],
  },
  {
    what: 'the root key by a deep import',
    file: 'libs/offers/src/planted-key.ts',
    by: 'cruise',
    imports: '@app/keys/src/root/root-key',
    breaks: ['libraries-are-entered-by-their-door', 'root-key-stays-in-keys'],
  },
  {
    what: 'fixtures in the program',
    file: 'libs/offers/src/planted-fixture.ts',
    by: 'cruise',
    imports: '@app/keys/fixtures/root-keys',
    breaks: ['fixtures-are-for-tests'],
  },
  {
    what: 'jose inside issuance',
    file: 'libs/issuance/src/planted-jose.ts',
    by: 'cruise',
    imports: 'jose',
    breaks: ['jose-stays-in-its-libraries'],
  },
  {
    what: 'a file system in openid4vc',
    file: 'libs/openid4vc/src/planted.ts',
    by: 'cruise',
    imports: 'node:fs',
    breaks: ['openid4vc-is-pure'],
  },
  {
    what: 'server code in an example',
    file: 'examples/wallet/planted.ts',
    by: 'cruise',
    imports: '@app/openid4vc',
    breaks: ['clients-share-no-server-code'],
  },
  {
    what: 'server code in the console',
    file: 'apps/console/src/planted.ts',
    by: 'cruise',
    imports: '@app/primitives/problems',
    breaks: ['clients-share-no-server-code'],
  },
  {
    what: 'an import of nothing',
    file: 'libs/keys/src/planted.ts',
    by: 'cruise',
    imports: './nowhere',
    breaks: ['no-unresolved'],
  },
  // A cycle is reported once, from the first of its files.
  {
    what: 'a cycle',
    file: 'libs/outbound/src/planted-back.ts',
    by: 'cruise',
    imports: './planted',
    breaks: ['no-cycles'],
  },
  { what: 'its other half', file: 'libs/outbound/src/planted.ts', by: 'cruise', imports: './planted-back', breaks: [] },
  ...['node:http', 'net', 'node:child_process', 'undici'].map((imports, index): Breach => ({
    what: `${imports} inside issuance`,
    file: `libs/issuance/src/planted-sockets-${index}.ts`,
    by: 'cruise',
    imports,
    breaks: ['sockets-have-few-doors'],
  })),
  {
    what: 'pg inside verification',
    file: 'libs/verification/src/planted-pg.ts',
    by: 'cruise',
    text: "import { Client } from 'pg';\nexport const use = () => new Client().query('select sealed from key_store');\n",
    breaks: ['one-driver'],
  },
  {
    what: 'the environment as an import',
    file: 'libs/issuance/src/planted-environment.ts',
    by: 'cruise',
    text: "import { env } from 'node:process';\nexport const use = env;\n",
    breaks: ['environment-is-read-in-config'],
  },
  ...said('offers', 'no-restricted-globals', deciding, [
    'crypto.randomUUID()',
    'performance.now()',
    'process.uptime()',
  ]),
  ...said('offers', 'no-restricted-properties', deciding, ['Math.random()', 'Date.now()', 'DateTime.utc()']),
  ...said('offers', 'no-restricted-syntax', deciding, ['new Date()', 'Date()']),
  ...said('issuance', 'no-restricted-globals', giving, [
    "fetch('https://example.org')",
    "new WebSocket('wss://example.org')",
    "globalThis.fetch('https://example.org')",
    'crypto.subtle',
  ]),
  ...said('issuance', 'no-restricted-properties', giving, [
    'process.env',
    "process['env']",
    '(() => { const { env } = process; return env; })()',
  ]),
  ...said('issuance', 'no-console', giving, ["console.log('claims')"]),
  ...said('issuance', 'no-restricted-imports', named, [
    "{ sign as use } from 'node:crypto'",
    "{ createPrivateKey as use } from 'node:crypto'",
    "{ generateKeyPairSync as use } from 'crypto'",
    "* as use from 'node:crypto'",
    "use from 'node:crypto'",
  ]),
  ...said('verification', 'no-restricted-imports', named, [
    "{ SQL_DRIVER as use } from '@app/event-store'",
    "{ connectDriver as use } from '@app/event-store'",
    "* as use from '@app/event-store'",
  ]),
  ...said('status', 'no-restricted-syntax', giving, [
    "import('node:crypto')",
    "'delete from events where true'",
    '`\n  UPDATE only events set data = ${1}`',
    '\'truncate table "events"\'',
  ]),
  ...said('issuance', 'no-restricted-syntax', giving, [
    'store.transact(async () => { await key.sign(data); })',
    'this.records.update(id, async ({ state }) => { if (state) await signJwt(key, {}, state); })',
    'reading.reading(() => [() => signer.identity.sign({}, {})])',
  ]),
  {
    what: 'a default export',
    file: 'libs/status/src/planted-default.ts',
    by: 'lint',
    text: 'export default 1;\n',
    breaks: ['no-restricted-syntax'],
  },
];

const decider = (specifier: string): string =>
  `import type { OfferEvent } from './offer/offer';
import * as planted from '${specifier}';
export const use = planted;
export const decide = (): OfferEvent[] => [];
`;

const importing = (specifier: string): string =>
  `import * as planted from '${specifier}';\nexport const use = planted;\n`;

export const textOf = ({ imports = '', text }: Breach): string => text ?? importing(imports);

/** What may do what others may not. */
export const exempt = [
  'apps/server/src/healthcheck.ts',
  'libs/event-store/src/rebuild/restored-server.ts',
  'libs/keys/src/store/key-pair.ts',
  'libs/operation/src/rights-warning.ts',
  'libs/outbound/src/outbound-client.ts',
  'libs/events/src/webhooks/deliverers.ts',
];

/** Impure deciders and what they reach, by path. */
export const impure: Readonly<Record<string, string>> = {
  'libs/offers/src/planted-clock.ts': decider('./planted-steps'),
  'libs/offers/src/planted-steps.ts': importing('node:fs'),
  'libs/offers/src/planted-hash.ts': decider('node:crypto'),
  'libs/offers/src/planted-nest.ts': decider('@nestjs/common'),
  'libs/offers/src/planted-keys.ts': decider('@app/keys'),
};
