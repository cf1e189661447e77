/** The script of pages that are left by themselves, see `leaves` of a shown page. */
export const leaveScript = `const { leaveAfter, leaveTo } = document.querySelector('main').dataset;
setTimeout(() => location.replace(leaveTo), leaveAfter * 1000);
`;
