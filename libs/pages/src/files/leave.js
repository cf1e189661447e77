const { leaveAfter, leaveTo } = document.querySelector('main').dataset;
setTimeout(() => location.replace(leaveTo), leaveAfter * 1000);
