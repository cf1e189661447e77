import { pictureName, Settings, SettingsError } from '@app/config';
import type { IssuerDisplay } from '@app/openid4vc';
import { perTenant } from '@app/primitives/context';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { inLanguage, type Language } from './languages';
import { styleSheet } from './style';
import type { Contact, Help } from './visit';

export interface Logo {
  readonly type: string;
  readonly bytes: Buffer;
}

interface LocalisedName {
  readonly name: string;
  readonly locale?: string;
}

interface Look {
  readonly style: string;
  readonly names: readonly LocalisedName[];
  /** Of a file of this machine, which tenants do not name. */
  logo?: Logo;
  /** Where the logo is, below the public URL. */
  logoPath?: string;
}

function lookIn({ issuer: { colour, displayName, localisedNames, logo } }: Settings): Look {
  return {
    style: styleSheet(colour),
    names: [{ name: displayName }, ...localisedNames.map(localisedName)],
    ...(pictureName.test(logo) && { logoPath: `/images/${logo}` }),
  };
}

const types: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};
const mostBytes = 200_000;

/** How the issuer appears to people: its names, its logo, and the style sheet of the pages in its colour. */
@Injectable()
export class IssuerAppearance implements OnModuleInit {
  private readonly look: Look;

  constructor(private readonly settings: Settings) {
    this.look = perTenant(lookIn(settings), () => lookIn(settings));
  }

  get style(): string {
    return this.look.style;
  }

  get logo(): Logo | undefined {
    return this.look.logo;
  }

  /** Where it is, below the public URL; another one for another logo. */
  get logoPath(): string | undefined {
    return this.look.logoPath;
  }

  /** The name for the readers of a language. */
  nameIn(language: Language): string {
    return inLanguage(this.look.names, language)?.name ?? this.settings.issuer.displayName;
  }

  /** Whom the readers of a language can ask, and where they learn how to get a wallet. */
  helpIn(language: Language): Help {
    const { contact, walletHelp } = this.settings.pages;
    return {
      issuer: this.nameIn(language),
      contact: contact === '' ? undefined : contactOf(contact),
      walletHelp: walletHelp === '' ? undefined : walletHelp,
    };
  }

  /** Names and logo as wallets show them (OpenID4VCI 1.0 §12.2.4). */
  displays(): IssuerDisplay[] {
    const path = this.look.logo ? '/pages/logo' : this.look.logoPath;
    const logo = path !== undefined && { logo: { uri: this.settings.applicationUrl + path } };
    return this.look.names.map((name) => ({ ...name, ...logo }));
  }

  /** Reads the logo. Throws `SettingsError`. */
  async onModuleInit(): Promise<void> {
    const { logo } = this.settings.issuer;
    if (logo === '' || pictureName.test(logo)) return;
    const type = types[extname(logo).toLowerCase()];
    if (type === undefined) throw faultyLogo('a file of another kind', 'give an .svg, .png, .jpg or .webp file');
    const bytes = await readFile(logo).catch(() => undefined);
    if (!bytes) throw faultyLogo('a path that cannot be read', 'give the path of an image file');
    if (bytes.length > mostBytes) {
      throw faultyLogo(`a file of ${bytes.length} bytes`, `give one of at most ${mostBytes} bytes`);
    }
    this.look.logo = { type, bytes };
    this.look.logoPath = `/pages/logo?v=${fileVersionOf(bytes)}`;
  }
}

/** For addresses of files that browsers keep: another content has another address. */
export function fileVersionOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 10);
}

/** @param text as `SERVICE__PAGES__CONTACT` has it */
function contactOf(text: string): Contact {
  if (text.startsWith('https:')) return { link: text, shown: undefined };
  return text.includes('@')
    ? { link: `mailto:${encodeURIComponent(text).replace('%40', '@')}`, shown: text }
    : { link: `tel:${text.replace(/[^+\d]/g, '')}`, shown: text };
}

/** @param text `de=Musterstadt` */
function localisedName(text: string): LocalisedName {
  const end = text.indexOf('=');
  return { name: text.slice(end + 1), locale: text.slice(0, end) };
}

function faultyLogo(found: string, remedy: string): SettingsError {
  return new SettingsError([{ name: 'SERVICE__ISSUER__LOGO', found, remedy }]);
}
