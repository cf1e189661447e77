import {
  CertificateFault,
  CertificateInstallation,
  certificateUses,
  type CertificateUse,
  certificationRequest,
  ownNames,
  type CertificateInUse,
  isValidAt,
  warnedBefore,
} from '@app/identity';
import { localSigner, type Settings } from '@app/config';
import {
  openExistingCertificateKeys,
  type SigningAlgorithm,
  signingAlgorithms,
  type CertificateKey,
  type KeyRing,
  SignerError,
  signingPolicy,
} from '@app/keys';
import { wholeSeconds } from '@app/primitives/time';
import { Command, Option } from 'commander';
import { readFile } from 'node:fs/promises';
import { subjectOf } from '@app/credentials';
import { X509Certificate } from 'node:crypto';
import { aboutObject } from './command-audit';
import { withTables } from './database';
import { CommandFailure, UsageFailure } from './failure';
import { openOwnCertificates } from './own-certificates';
import { table } from './table';
import { type OfTenant, tenantOption } from './tenant';

interface Requested extends OfTenant {
  readonly use: CertificateUse;
  readonly subject?: string;
  readonly dns?: readonly string[];
  readonly uri?: readonly string[];
  readonly email?: readonly string[];
  readonly algorithm: SigningAlgorithm;
  readonly signer?: string;
  readonly key?: string;
}

/** The certificates of the service, which all replicas share through the database. */
export function addCertificateCommands(program: Command): void {
  const certificates = program
    .command('certificates')
    .description('The certificates under which credentials, authorization requests, ISO mdocs and metadata are signed.')
    .helpCommand(false);
  certificates
    .command('request')
    .description('Prints a certification request (PKCS#10) for a key of the service, to be sent to an authority.')
    .addOption(new Option('--use <use>', 'what the certificate is for').choices(certificateUses).makeOptionMandatory())
    .option(
      '--subject <name>',
      'distinguished name, such as "CN=Example, O=Example Ltd"; CN=<host> when absent; for documents with a country: "CN=Example, C=DE"',
    )
    .option(
      '--dns <name...>',
      'DNS names; when absent, the host of the public URL, and for documents and metadata none',
    )
    .option('--uri <uri...>', 'URIs; when absent, for credentials and metadata the issuer identifier')
    .option('--email <address...>', 'e-mail addresses, as a contact in an access certificate')
    .addOption(
      new Option('--algorithm <algorithm>', 'of the key, for credentials and documents')
        .choices(signingAlgorithms)
        .default('ES256'),
    )
    .option(
      '--signer <signer>',
      'who has the key: a signer as the settings name it, or local; when absent, who signs credentials or requests by the settings',
    )
    .option('--key <reference>', 'the key as its signer names it, when it is not to make one')
    .addOption(tenantOption())
    .addHelpText('after', '\nExample:\n  sealwright certificates request --use requests > request.pem')
    .action(request);
  certificates
    .command('install')
    .argument('<file>', 'PEM: the certificate, then those between it and the root')
    .description('Checks the chain that an authority has issued and signs under it from now on.')
    .addOption(tenantOption())
    .addHelpText('after', '\nExample:\n  sealwright certificates install chain.pem')
    .action(install);
  certificates
    .command('list')
    .description('Lists the certificates, those that wait for one, and when they expire.')
    .addOption(tenantOption())
    .addHelpText('after', '\nExample:\n  sealwright certificates list')
    .action(listCertificates);
}

function request({
  use,
  subject,
  dns,
  uri,
  email = [],
  algorithm,
  signer,
  key: reference,
  tenant,
}: Requested): Promise<void> {
  if ((use === 'requests' || use === 'metadata') && algorithm !== 'ES256') {
    throw new UsageFailure(
      `${use === 'requests' ? 'Requests' : 'Metadata'} are signed with ES256, which all wallets verify: leave --algorithm out.`,
    );
  }
  if (use === 'documents' && subject === undefined) {
    throw new UsageFailure(
      'A document signer is named with its country: give --subject "CN=..., C=..." with the C of the root that will issue it, and its ST where it has one.',
    );
  }
  return withInstallation(tenant, async (installation, { applicationUrl, signer: { for: signers } }) => {
    const provider = signer?.toLowerCase() ?? (use === 'documents' ? localSigner : signers[use]);
    if (provider === localSigner && reference !== undefined) {
      throw new UsageFailure('Give --signer with --key: the keys of this process have no such names.');
    }

    const { host, issuer } = ownNames(applicationUrl);
    const isDocumentSigner = use === 'documents';
    const names = {
      subject: subject ?? `CN=${host}`,
      dns: dns ?? (isDocumentSigner || use === 'metadata' ? [] : [host]),
      uris: uri ?? (use === 'credentials' || use === 'metadata' ? [issuer] : []),
      emails: email,
      isDocumentSigner,
    };
    const at = provider === localSigner ? undefined : { provider, ...(reference && { reference }) };
    const key = await installation.keyFor(use, algorithm, at);
    aboutObject(key.kid);
    process.stdout.write(await certificationRequest(key, names));
    const asked = [...names.dns, ...names.uris, ...names.emails].join(', ');
    process.stderr.write(
      `This asks for a certificate of the key ${key.kid} for ${use}${asked === '' ? '' : `, with the names ${asked}`}.\n` +
        'Send it to your certificate authority, then run "sealwright certificates install" with the chain you get.\n',
    );
  });
}

async function install(file: string, { tenant }: OfTenant): Promise<void> {
  const pem = await readFile(file, 'utf8').catch(() => {
    throw new CommandFailure(`${file} cannot be read.`);
  });
  await withInstallation(tenant, async (installation) => {
    const { use, kid, subject, notAfter, isNew, warnings } = await installation.install(pem, new Date());
    aboutObject(kid);
    const words = isNew ? `signs ${use} from now on` : `has been installed before for ${use}`;
    process.stdout.write(`${subject}: ${words}, until ${wholeSeconds(notAfter)}.\n`);
    for (const warning of warnings) process.stderr.write(`Readers may object: ${warning}.\n`);
    if (!isNew) return;
    process.stderr.write(
      'Running replicas follow within seconds. What was made before stays valid under its own certificate.\n',
    );
    if (use === 'credentials') {
      process.stderr.write('Credentials and status lists in the https name carry it; those in the DID do not.\n');
    }
  });
}

function withInstallation(
  tenant: string | undefined,
  work: (installation: CertificateInstallation, settings: Settings) => Promise<void>,
): Promise<void> {
  return withTables(async (driver, settings) => {
    const { secretManager, signer } = settings;
    const password = secretManager.strongholdPassword;
    const { ring, keys } = await openExistingCertificateKeys(driver, password, await signingPolicy(signer));
    const installation = new CertificateInstallation(
      ring,
      keys,
      ownNames(settings.applicationUrl),
      settings.certificates.profile,
    );
    try {
      await work(installation, settings);
    } catch (error) {
      if (error instanceof CertificateFault) throw new CommandFailure(`Found ${error.found}: ${error.remedy}.`);
      if (error instanceof SignerError) throw new CommandFailure(`${error.message}. See docs/keys.md.`);
      throw error;
    } finally {
      await ring.onApplicationShutdown();
    }
  }, tenant);
}

/** One line for each certificate, those in use first; on stderr a warning for each that ends soon. */
function listCertificates({ tenant }: OfTenant): Promise<void> {
  return withTables(async (driver, settings) => {
    const now = new Date();
    const { own, keys, ring } = await openOwnCertificates(driver, settings);
    const inUse = own.inUse(now);
    const others = keys.all().filter((key) => isListed(key, inUse, ring));
    const rows = [...inUse.map((signer) => rowOf(signer, now)), ...others.map(otherRow)];
    process.stdout.write(table(['USE', 'STATE', 'EXPIRES', 'KID', 'SUBJECT'], rows));
    for (const signer of inUse) process.stderr.write(warningOf(signer, now));
  }, tenant);
}

function rowOf(signer: CertificateInUse, now: Date): string[] {
  const { use, keyId, notAfter, subject } = signer;
  return [use, isValidAt(now)(signer) ? 'active' : 'expired', wholeSeconds(notAfter), keyId, subject];
}

/** What was made for a certificate and is not in use; a key that signs credentials now is listed with "keys list". */
function isListed({ kid, kind }: CertificateKey, inUse: readonly CertificateInUse[], ring: KeyRing): boolean {
  const isOfUse = certificateUses.some((use) => use === kind);
  return isOfUse && !inUse.some(({ keyId }) => keyId === kid) && !ring.knows(kid);
}

function otherRow({ kind, status, kid, chain }: CertificateKey): string[] {
  const leaf = chain === undefined ? undefined : new X509Certificate(chain);
  const state = status === 'revoked' ? 'revoked' : leaf ? 'replaced' : 'requested';
  const expires = leaf ? wholeSeconds(new Date(leaf.validTo)) : '-';
  return [kind, state, expires, kid, leaf ? subjectOf(leaf) : ''];
}

function warningOf(signer: CertificateInUse, now: Date): string {
  const { use, notAfter, isDevelopment } = signer;
  if (isDevelopment || now < warnedBefore(signer)) return '';
  const verb = now < notAfter ? 'ends' : 'ended';
  return `The certificate for ${use} ${verb} ${wholeSeconds(notAfter)}: run "sealwright certificates request --use ${use}".\n`;
}
