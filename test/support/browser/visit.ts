import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { accessibilityOf } from './accessibility';

/** Milliseconds. Not a statement about speed: what never appears fails the test some time. */
const patience = 60_000;

/** How people look at a page. */
const looks = [
  { name: 'on a desktop, light', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'on a desktop, dark', width: 1280, height: 900, colorScheme: 'dark' },
  { name: 'at 390 px, light', width: 390, height: 844, colorScheme: 'light' },
  { name: 'at 390 px, dark', width: 390, height: 844, colorScheme: 'dark' },
  // WCAG 2.2, 1.4.10: a desktop at 400 %.
  { name: 'at 320 px, light', width: 320, height: 800, colorScheme: 'light', of: 'staff' },
  // WCAG 2.2, 1.4.4: on a small phone of somebody who does not see well.
  { name: 'at 360 px, text of 200 %', width: 360, height: 800, colorScheme: 'light', text: '200%', of: 'everybody' },
] as const;

export interface VisitOptions {
  /** BCP 47; English when absent. */
  readonly language?: string;
  /** Whether the browser runs scripts; it does when absent. */
  readonly script?: boolean;
  /** Makes the browser another one before it opens the page. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** A page that is open in a browser of its own: no cookie, cache or setting of another visit. */
export interface Visit {
  readonly page: Page;
  /** Every address that the browser asked for, also those that a policy kept it from reaching. */
  readonly requested: readonly string[];
  /** What the browser complained of: breaches of the Content-Security-Policy, errors of scripts, failed requests. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Opens a page. Its browser asks for nothing but what the page makes it ask for. */
export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { language = 'en', script = true, prepare } = options;
  const context = await browser.newContext({ locale: language, javaScriptEnabled: script });
  const requested: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => requested.push(request.url()));
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  await prepare?.(page);
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  return { page, requested, complaints, close: () => context.close() };
}

/**
 * What is wrong with a page in each of the looks: nothing where everyone can read and use it.
 * @param whom staff have the console, on screens of their own
 * @param name of its pictures, which are for people and kept where SERVICE_TEST_SCREENSHOTS names a folder
 */
export async function faultsInEveryLook(
  { page }: Visit,
  name: string,
  whom: 'everybody' | 'staff' = 'everybody',
): Promise<Record<string, readonly string[]>> {
  const check = await accessibilityOf(page);
  const folder = process.env['SERVICE_TEST_SCREENSHOTS'];
  const faults: Record<string, readonly string[]> = {};
  for (const { name: look, width, height, colorScheme, ...sized } of looks) {
    if ('of' in sized && sized.of !== whom) continue;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(`document.documentElement.style.fontSize = '${'text' in sized ? sized.text : ''}'`);
    const found = [...(await check()), ...(await page.evaluate<string[]>(beyondTheScreen))];
    if (found.length > 0) faults[look] = found;
    const path = folder && join(folder, `${name} ${look}.png`.replace(/[^\w.]+/g, '-'));
    if (path !== undefined) await page.screenshot({ path, fullPage: true });
  }
  await page.evaluate(`document.documentElement.style.fontSize = ''`);
  return faults;
}

/** Where text runs from right to left, the page would grow to the left, of which the width says nothing. */
export const beyondTheScreen = `[
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page is wider than the screen'] : []),
  ...[...document.querySelectorAll('body *')]
    .filter((part) => part.getBoundingClientRect().left < -1 || part.getBoundingClientRect().right > innerWidth + 1)
    .map((part) => 'beyond the screen: ' + part.tagName + ' ' + part.textContent.slice(0, 40)),
]`;
