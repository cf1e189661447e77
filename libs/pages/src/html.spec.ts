import { html } from './html';

describe('HTML', () => {
  it('has every inserted value escaped, in text and in attributes', () => {
    const evil = `"><script>alert('1')</script>&`;
    expect(html`<a title="${evil}">${evil}</a>`.text).toBe(
      ['<a title="', '">', '</a>'].join('&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;'),
    );
  });

  it('shows in every inserted value what would turn the rest around or hide in it, and leaves scripts as they are', () => {
    const evil = 'knaB\u202e\u2067\u200b\ufeff';
    expect(html`<a title="${evil}">${evil}</a>${[html`<b>${evil}</b>`]}`.text).toBe(
      ['<a title="', '">', '</a><b>', '</b>'].join('knaB\ufffd\ufffd\ufffd\ufffd'),
    );
    const right = 'می\u200cخواهم שלום\u200f 👩\u200d👧';
    expect(html`<bdi>${right}</bdi>`.text).toBe(`<bdi>${right}</bdi>`);
  });

  it('holds other HTML as it is, and nothing for what is absent', () => {
    const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${items}</ul>${undefined}${0}`.text).toBe('<ul><li>a</li>\n<li>&#60;b&#62;</li></ul>0');
  });
});
