import { Settings } from '@app/config';
import { HttpReply, pagePolicy, PublicEndpoint } from '@app/http';
import { accentStyle, html, letterStyleSource } from '@app/pages';
import { currentTenant } from '@app/primitives/context';
import { Controller, Get, Inject, NotFoundException, Param } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Injection token of the directory of the built console. */
export const CONSOLE_FILES = Symbol('CONSOLE_FILES');

/** Everything is loaded from here and sent here, and no text can become markup or script. */
const policy = pagePolicy(
  "script-src 'self'",
  // What the service makes to be printed is shown in a window that has the policy of this page.
  `style-src 'self' ${letterStyleSource}`,
  // Portraits that were presented.
  "img-src 'self' data:",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
);

const assets: Readonly<Record<string, string>> = {
  'console.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'style.css': 'text/css; charset=utf-8',
  'licences.txt': 'text/plain; charset=utf-8',
};

/** What links stand on in its style sheet; the one that leaves them the least contrast. */
const grounds = { light: '#e9ecf2', dark: '#2a313d' };

/** What it says, in one of its languages. */
const texts = /^texts-(en|de|fr|nl|es|it|ar)\.json$/;

/** The console, a page that calls the management API like any other client; where the settings allow it. */
@Controller('console')
@PublicEndpoint('management')
export class ConsoleController {
  constructor(
    private readonly settings: Settings,
    @Inject(CONSOLE_FILES) private readonly directory: string,
  ) {}

  @Get()
  page(): Promise<HttpReply> {
    return this.file('index.html', 'text/html; charset=utf-8', (page) => {
      const name = html`data-issuer="${this.settings.issuer.displayName}"`.text;
      return page.replace('id="console"', (place) => `${place} ${name}`);
    });
  }

  @Get(':asset')
  asset(@Param('asset') name: string): Promise<HttpReply> {
    const type = texts.test(name) ? 'application/json; charset=utf-8' : Object.hasOwn(assets, name) && assets[name];
    if (!type) throw new NotFoundException();
    const inItsColour = (style: string): string => style + accentStyle(this.settings.issuer.colour, grounds);
    return this.file(name, type, name === 'style.css' ? inItsColour : undefined);
  }

  /** @param changed for a tenant: operators have the console of the product, and each tenant one that says whose it is */
  private async file(name: string, type: string, changed?: (text: string) => string): Promise<HttpReply> {
    if (!this.settings.management.console) throw new NotFoundException();
    const file = await readFile(join(this.directory, name));
    const body = changed && currentTenant() !== undefined ? changed(file.toString()) : file;
    return new HttpReply(200, body, {
      'Content-Type': type,
      'Content-Security-Policy': policy,
      // The next version of the service has other files under the same names.
      'Cache-Control': 'no-cache',
    });
  }
}
