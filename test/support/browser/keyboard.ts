import type { Locator, Page } from 'playwright-core';

/** More stops than any page has. */
const mostStops = 200;

/** Somebody who works without a mouse: what has the focus must be seen at each stop. */
export class Keyboard {
  /** What was wrong at stops; nothing where every one was seen. */
  readonly faults = new Set<string>();

  constructor(private readonly page: Page) {}

  /** Goes forward to a part of the page, and round again from its beginning. */
  async to(part: Locator): Promise<void> {
    await part.first().waitFor();
    for (let stop = 0; stop < mostStops; stop++) {
      await this.page.keyboard.press('Tab');
      for (const fault of await this.page.evaluate<string[]>(faultsOfFocus)) this.faults.add(fault);
      if ((await part.and(this.page.locator(':focus')).count()) > 0) return;
    }
    throw new Error(`No stop of the Tab key is ${String(part)}.`);
  }

  async press(part: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await this.to(part);
    await this.page.keyboard.press(key);
  }

  async write(part: Locator, text: string): Promise<void> {
    await this.to(part);
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.type(text);
  }

  /** Goes down a list until it shows the choice. */
  async choose(list: Locator, choice: string): Promise<void> {
    await this.to(list);
    for (let steps = await list.locator('option').count(); steps > 0; steps--) {
      if ((await list.locator('option:checked').textContent()) === choice) return;
      await this.page.keyboard.press('ArrowDown');
    }
    throw new Error(`The list has no ${choice}.`);
  }
}

/** WCAG 2.2, 2.4.7 and 2.4.11. The body has the focus between the end of a page and its beginning, and what has a tabindex of -1 when a page opens. */
const faultsOfFocus = `(() => {
  const part = document.activeElement;
  if (part === null || part.tabIndex === -1) return [];
  const named = part.tagName + ' ' + (part.textContent || part.id).slice(0, 40);
  const { outlineStyle, outlineWidth } = getComputedStyle(part);
  const { left, top, right, bottom } = part.getBoundingClientRect();
  const [x, y] = [(Math.max(left, 0) + Math.min(right, innerWidth)) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2];
  const seen = document.elementFromPoint(x, y);
  return [
    ...(outlineStyle === 'none' || parseFloat(outlineWidth) < 2 ? ['the focus is not seen on ' + named] : []),
    ...(seen === null || !(part.contains(seen) || seen.contains(part)) ? ['hidden: ' + named] : []),
    ...(document.getAnimations().length > 0 ? ['something moves around ' + named] : []),
  ];
})()`;
