import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { card } from './card';
import { explain, WalletFailure } from './failure';
import { algorithms, bindings } from './keys';
import { withLoopbackBrowser } from './loopback-browser';
import { readRoots } from './roots';
import type { ReceiveOptions } from './receiving';
import { Wallet } from './wallet';

const usage = `A wallet for development.

  receive <offer>    redeem a credential offer link (openid-credential-offer://...)
      --tx-code <code>    transaction code, when the issuer sent one
      --key ES256|EdDSA   kind of key to bind to (default: what the issuer accepts)
      --binding jwk|did:jwk|did:key   how the proof names the key
      --draft 13          read the metadata and speak as a draft 13 wallet
      --root <pem>        file or URL of the root of an issuer of mdocs (IACA); may be repeated
      --wait              keep asking while the issuer does not have the data yet
  present <request>  answer a request link of OpenID4VP 1.0 (openid4vp://..., haip-vp://...)
      --credential <id>   which credential to use when several would do; may be repeated
      --disclose a,b.c    claims of an SD-JWT or an mdoc to disclose (default: exactly those asked for)
      --root <pem>        file or URL of a root to trust when the verifier signs by a certificate; may be repeated
  list               show the credentials in the wallet

  --file <path>      wallet file (default ./wallet.json)`;

const options = {
  file: { type: 'string' },
  'tx-code': { type: 'string' },
  key: { type: 'string' },
  binding: { type: 'string' },
  draft: { type: 'string' },
  wait: { type: 'boolean' },
  credential: { type: 'string', multiple: true },
  disclose: { type: 'string' },
  root: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parse>['values'];

/** One entry per command; each gets its positional argument and the parsed options. */
const commands: Record<string, (wallet: Wallet, argument: string | undefined, values: Values) => Promise<void>> = {
  receive: async (wallet, offer, values) => {
    if (offer === undefined) throw new WalletFailure('receive needs a credential offer link.');
    const received = await withLoopbackBrowser(
      (url) => {
        console.log(`\nOpen in a browser on this machine: ${url}\n`);
      },
      (browser) => wallet.receive(offer, { ...receiveOptions(values), browser }),
    );
    for (const credential of received) console.log(`\n${card(credential)}`);
  },
  present: async (wallet, request, values) => {
    if (request === undefined) throw new WalletFailure('present needs a request link.');
    const { redirectUri } = await wallet.present(request, {
      credentials: values.credential,
      disclose: values.disclose?.split(',').filter(Boolean),
    });
    if (redirectUri !== null) console.log(`\nGo on in the browser: ${redirectUri}`);
  },
  list: async (wallet) => {
    const credentials = await wallet.credentials();
    console.log(credentials.length > 0 ? credentials.map(card).join('\n') : 'The wallet is empty.');
  },
};

async function main(): Promise<void> {
  const { values, positionals } = parse();
  const [name = '', argument] = positionals;
  const command = commands[name];
  if (values.help === true || !command) {
    console.log(usage);
    process.exitCode = values.help === true ? 0 : 1;
    return;
  }
  const onStep = (step: string, detail: string): void => {
    console.log(`✓ ${step.padEnd(12)} ${detail}`);
  };
  const roots = await readRoots(values.root ?? []);
  await command(new Wallet({ file: values.file ?? './wallet.json', onStep, roots }), argument, values);
}

function parse() {
  return parseArgs({ options, allowPositionals: true });
}

function receiveOptions(values: Values): ReceiveOptions {
  return {
    txCode: values['tx-code'],
    key: oneOf('key', algorithms, values.key),
    binding: oneOf('binding', bindings, values.binding),
    draft: oneOf('draft', ['13'] as const, values.draft),
    wait: values.wait,
    askTxCode: process.stdin.isTTY ? ask : undefined,
  };
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: string | undefined): T | undefined {
  const found = allowed.find((candidate) => candidate === value);
  if (value !== undefined && found === undefined) {
    throw new WalletFailure(`--${name} is one of ${allowed.join(', ')}, not ${value}.`);
  }
  return found;
}

async function ask(hint: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`Enter the ${hint}: `)).trim();
  } finally {
    terminal.close();
  }
}

main().catch(async (error: unknown) => {
  console.error(`✗ ${await explain(error)}`);
  process.exitCode = 1;
});
