import { pageFile } from './page-file';

/**
 * The script of all pages. The server says that the state has changed, nothing else; then the page is read again, until it
 * shows that state, and its parts are replaced. The element that announces the state stays, so that screen readers read its new text.
 * Where a wallet returns the person, the script posts the response code of the fragment, and leads on to the page.
 */
export const liveScript = pageFile('live.js');

/**
 * The script of pages with the button of `browserButton`. It stays when the content of the page is replaced. A page that was
 * opened at another address than the public one has another origin, whose answer nobody expects.
 */
export const browserScript = pageFile('browser.js');

/** The script of pages that are left by themselves, see `leaves` of a shown page. */
export const leaveScript = pageFile('leave.js');
