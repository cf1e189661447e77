import { CertificateFault, readXmlList, type TrustPurpose, trustPurposes, type XmlAuthority } from '@app/identity';
import { wholeSeconds } from '@app/primitives/time';
import { Command, Option } from 'commander';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CommandFailure, UsageFailure } from './failure';

interface Import {
  readonly into: string;
  readonly purposes: readonly TrustPurpose[];
  readonly types?: readonly string[];
  readonly serviceType: readonly string[];
  readonly list?: string;
  readonly signatureVerified?: true;
}

/** Of qualified attestations, and of those by or for a public body. */
const attestationServices = ['Q', 'Pub-EAA'].map((kind) => `http://uri.etsi.org/TrstSvc/Svctype/EAA/${kind}`);

export function addTrustCommands(program: Command): void {
  const trust = program
    .command('trust')
    .description('The certificate authorities that are trusted.')
    .helpCommand(false);
  trust
    .command('import')
    .argument('<file>', 'trusted list in XML (ETSI TS 119 612)')
    .description(
      'Writes the authorities of a trusted list, whose signature was verified before, as anchors that end with it.',
    )
    .requiredOption('--into <directory>', 'that of SERVICE__TRUST__ANCHORS')
    .addOption(
      new Option('--purposes <purpose...>', 'what they vouch for')
        .choices(trustPurposes)
        .default(['issuer', 'document']),
    )
    .option('--types <type...>', 'types of credentials that they vouch for; all when absent')
    .option('--service-type <uri...>', 'which services are meant', attestationServices)
    .option('--list <uri>', 'address of the list, for trusted_authorities in queries')
    .option(
      '--signature-verified',
      'confirms that the signature of the list was verified against the certificate of its operator',
    )
    .addHelpText(
      'after',
      '\nExample:\n  sealwright trust import at.xml --into anchors --types urn:eudi:diploma:1 --signature-verified',
    )
    .action(importList);
}

async function importList(file: string, { into, signatureVerified, serviceType, ...said }: Import): Promise<void> {
  if (!signatureVerified) {
    throw new UsageFailure(
      'The signature of the list is not looked at here. Verify it with another program (the EU DSS, xmlsec1), over the whole document and against the certificate of its operator, then repeat the command with --signature-verified.',
    );
  }
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CommandFailure(`${file} cannot be read.`);
  });
  const list = read(file, text, serviceType);
  const prefix = `list-${list.territory.toLowerCase()}-`;
  const present = await readdir(into).catch(() => {
    throw new CommandFailure(`${into} is no directory that can be read.`);
  });
  const before = present.filter((name) => name.startsWith(prefix));
  await refuseOlder(into, before, list.sequence);
  const written = new Set<string>();
  for (const authority of list.authorities) {
    const name = `${prefix}${authority.certificate.fingerprint256.replaceAll(':', '').slice(0, 16).toLowerCase()}`;
    // What it vouches for first: without that it would vouch for everything.
    await put(join(into, `${name}.yaml`), `${noteOf(list.sequence)}${vouchingOf(authority, list.nextUpdate, said)}`);
    await put(join(into, `${name}.pem`), authority.certificate.toString());
    written.add(`${name}.yaml`).add(`${name}.pem`);
  }
  const gone = before.filter((name) => !written.has(name)).sort();
  // Of the two files that with the certificate goes first.
  for (const name of gone) await rm(join(into, name));
  const count = written.size / 2;
  process.stdout.write(
    `${count} authorities of the list ${list.territory} ${list.sequence} are in ${into}, until ${wholeSeconds(list.nextUpdate)}.\n`,
  );
  if (list.leftOut > 0) {
    process.stderr.write(
      `${list.leftOut} were left out: certificates that are no authorities or cannot be read, and services with critical extensions.\n`,
    );
  }
  if (count === 0) process.stderr.write(`No service in force has one of the types ${serviceType.join(', ')}.\n`);
}

function read(file: string, text: string, serviceType: readonly string[]): ReturnType<typeof readXmlList> {
  try {
    return readXmlList(text, new Set(serviceType), new Date());
  } catch (error) {
    if (error instanceof CertificateFault) throw new CommandFailure(`${file}: found ${error.found}: ${error.remedy}.`);
    throw error;
  }
}

const noteOf = (sequence: number): string =>
  `# Written by "sealwright trust import" from the list with the number ${sequence}.\n`;

/** The files of an import before say which number the list had. */
async function refuseOlder(into: string, before: readonly string[], sequence: number): Promise<void> {
  for (const name of before.filter((each) => each.endsWith('.yaml'))) {
    const [, number] = /^# Written by .* number (\d+)\./.exec(await readFile(join(into, name), 'utf8')) ?? [];
    if (Number(number) > sequence) {
      throw new CommandFailure(
        `The list has the number ${sequence}, and that before had ${number}: get the newest one.`,
      );
    }
  }
}

function vouchingOf({ name }: XmlAuthority, until: Date, { purposes, types, list }: Partial<Import>): string {
  return stringify({
    name,
    purposes,
    ...(types && { types }),
    ...(list !== undefined && { list }),
    until: wholeSeconds(until),
  });
}

/** At once: the service may read it at any time. */
async function put(path: string, text: string): Promise<void> {
  const half = join(path, '..', `.${process.pid}.part`);
  await writeFile(half, text);
  await rename(half, path);
}
