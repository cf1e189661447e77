import type { Finding, Watch } from '../passes/verification-finding';

/** The part of one of several works that go on at once. */
export interface ParallelSection extends Watch {
  /** It has no more to say. */
  end(): void;
}

/**
 * Lets works that go on at once be followed as if they came one after the other, in the order of their sections: the
 * findings of a later one are held back until those before it have ended, its progress is left out until then.
 */
export class ParallelSections {
  private readonly sections: { readonly held: Finding[]; isOver: boolean }[] = [];

  constructor(private readonly watch: Watch) {}

  next(): ParallelSection {
    const section = { held: [] as Finding[], isOver: false };
    this.sections.push(section);
    return {
      finding: (finding) => {
        section.held.push(finding);
        this.release();
      },
      progress: (...progress) => {
        if (this.sections[0] === section) this.watch.progress(...progress);
      },
      end: () => {
        section.isOver = true;
        this.release();
      },
    };
  }

  private release(): void {
    for (let [first] = this.sections; first; [first] = this.sections) {
      for (const finding of first.held.splice(0)) this.watch.finding(finding);
      if (!first.isOver) return;
      this.sections.shift();
    }
  }
}
