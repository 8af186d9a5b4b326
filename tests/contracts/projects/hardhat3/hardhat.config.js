export default { solidity: "0.8.28" };
