import { X509Certificate } from 'node:crypto';
import { SaxesParser } from 'saxes';
import { CertificateFault } from '../certificate-fault';
import { isAuthority } from './trust-anchor';

/** A trusted list of ETSI TS 119 612, of which only this is read. */
export interface XmlList {
  readonly sequence: number;
  /** ISO 3166 code, or EU. */
  readonly territory: string;
  readonly nextUpdate: Date;
  readonly authorities: readonly XmlAuthority[];
  /** Of the services that are meant: certificates that are no authorities or cannot be read, and services with critical extensions. */
  readonly leftOut: number;
}

export interface XmlAuthority {
  /** Of the provider, in English when there is such a name. */
  readonly name: string;
  readonly certificate: X509Certificate;
}

interface Element {
  readonly uri: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
  /** Whether something stands in its text that readers take for nothing, some with what is beside it: a comment, an instruction. */
  isBroken: boolean;
}

const namespace = 'http://uri.etsi.org/02231/v2#';
const statuses = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/';
/** What a service has while it is approved: a qualified one, or another one by its state. */
const current = new Set([`${statuses}granted`, `${statuses}recognisedatnationallevel`]);
const mostCharacters = 32 * 1024 * 1024;
const deepest = 64;

/**
 * Reads a trusted list in XML whose signature was verified elsewhere. Throws `CertificateFault`, also for a document type, which could
 * bring entities from outside.
 * @param types ServiceTypeIdentifier of the services whose certificates are meant
 */
export function readXmlList(text: string, types: ReadonlySet<string>, now: Date): XmlList {
  if (text.length > mostCharacters) throw unreadable('a list of more than 32 MiB');
  if (text.includes('<!DOCTYPE')) throw unreadable('a document type (DOCTYPE)');
  const root = parsed(text);
  if (root?.uri !== namespace || root.name !== 'TrustServiceStatusList') throw unreadable('another root element');
  const information = childOf(root, 'SchemeInformation');
  const sequence = Number(textOf(childOf(information, 'TSLSequenceNumber')));
  if (!Number.isSafeInteger(sequence) || sequence < 1) throw unreadable('no TSLSequenceNumber');
  const territory = textOf(childOf(information, 'SchemeTerritory'));
  if (!/^[A-Z]{2}$/.test(territory)) throw unreadable('no SchemeTerritory of two capital letters');
  const nextUpdate = new Date(textOf(childOf(information, 'NextUpdate', 'dateTime')));
  if (Number.isNaN(nextUpdate.getTime())) throw unreadable('no NextUpdate, as in a list that was closed');
  if (nextUpdate <= now) throw new CertificateFault('an expired list', 'get the one that is up to date');
  const found = childrenOf(childOf(root, 'TrustServiceProviderList'), 'TrustServiceProvider').flatMap((provider) =>
    authoritiesOf(provider, types),
  );
  const authorities = found.flatMap((one) => one ?? []);
  return { sequence, territory, nextUpdate, authorities, leftOut: found.length - authorities.length };
}

/** Undefined stands for one that is left out. */
function authoritiesOf(provider: Element, types: ReadonlySet<string>): (XmlAuthority | undefined)[] {
  const names = childrenOf(childOf(provider, 'TSPInformation', 'TSPName'), 'Name');
  const english = names.find(({ attributes }) => attributes['xml:lang'] === 'en');
  const name = textOf(english ?? names[0]).trim() || 'a provider without a name';
  return childrenOf(childOf(provider, 'TSPServices'), 'TSPService').flatMap((service) => {
    const information = childOf(service, 'ServiceInformation');
    const isMeant = types.has(textOf(childOf(information, 'ServiceTypeIdentifier')).trim());
    if (!isMeant || !current.has(textOf(childOf(information, 'ServiceStatus')).trim())) return [];
    const extensions = childrenOf(childOf(information, 'ServiceInformationExtensions'), 'Extension');
    if (extensions.some(({ attributes }) => !/^(?:false|0)$/.test(attributes['Critical'] ?? ''))) return [undefined];
    return childrenOf(childOf(information, 'ServiceDigitalIdentity'), 'DigitalId')
      .flatMap((identity) => childrenOf(identity, 'X509Certificate'))
      .map((encoded) => {
        const certificate = certificateIn(textOf(encoded));
        return certificate && isAuthority(certificate) ? { name, certificate } : undefined;
      });
  });
}

function certificateIn(base64: string): X509Certificate | undefined {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

function parsed(text: string): Element | undefined {
  const parser = new SaxesParser({ xmlns: true });
  const open: Element[] = [];
  let root: Element | undefined;
  const breakText = (): void => {
    const inside = open.at(-1);
    if (inside) inside.isBroken = true;
  };
  const addText = (more: string): void => {
    const inside = open.at(-1);
    if (inside) inside.text += more;
  };
  parser.on('error', ({ message }) => {
    throw unreadable(`no well-formed XML (${message.slice(0, 100)})`);
  });
  parser.on('comment', breakText);
  parser.on('processinginstruction', breakText);
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('opentag', ({ uri, local, attributes }) => {
    if (open.length >= deepest) throw unreadable(`elements more than ${deepest} deep`);
    const values = Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value]));
    const element: Element = { uri, name: local, attributes: values, children: [], text: '', isBroken: false };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(text.replace(/^\uFEFF/, '')).close();
  return root;
}

function childrenOf(element: Element | undefined, name: string): readonly Element[] {
  return (element?.children ?? []).filter((child) => child.uri === namespace && child.name === name);
}

/** By the names of the elements on the way; undefined unless there is exactly one of each. */
function childOf(element: Element | undefined, ...path: readonly string[]): Element | undefined {
  return path.reduce<Element | undefined>((inside, name) => {
    const found = childrenOf(inside, name);
    return found.length === 1 ? found[0] : undefined;
  }, element);
}

/** '' for none. */
function textOf(element: Element | undefined): string {
  if (element?.isBroken) throw unreadable(`a comment or an instruction in the text of ${element.name}`);
  return element?.text ?? '';
}

function unreadable(found: string): CertificateFault {
  return new CertificateFault(
    found,
    'give a trusted list in the XML of ETSI TS 119 612, whose signature was verified before',
  );
}
