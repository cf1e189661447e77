import { Settings, SettingsError } from '@app/config';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { styleSheet } from './style';

export interface Logo {
  readonly type: string;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};
const mostBytes = 200_000;

/** How the issuer appears on pages: the style sheet in its colour, and its logo. */
@Injectable()
export class IssuerAppearance implements OnModuleInit {
  readonly style: string;
  private loaded: Logo | undefined;

  constructor(private readonly settings: Settings) {
    this.style = styleSheet(settings.issuer.colour);
  }

  get logo(): Logo | undefined {
    return this.loaded;
  }

  /** Reads the logo. Throws `SettingsError`. */
  async onModuleInit(): Promise<void> {
    const { logo } = this.settings.issuer;
    if (logo === '') return;
    const type = types[extname(logo).toLowerCase()];
    if (type === undefined) throw faultyLogo('a file of another kind', 'give an .svg, .png, .jpg or .webp file');
    const bytes = await readFile(logo).catch(() => undefined);
    if (!bytes) throw faultyLogo('a path that cannot be read', 'give the path of an image file');
    if (bytes.length > mostBytes) {
      throw faultyLogo(`a file of ${bytes.length} bytes`, `give one of at most ${mostBytes} bytes`);
    }
    this.loaded = { type, bytes };
  }
}

/** For addresses of files that browsers keep: another content has another address. */
export function versionOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 10);
}

function faultyLogo(found: string, remedy: string): SettingsError {
  return new SettingsError([{ name: 'SERVICE__ISSUER__LOGO', found, remedy }]);
}
