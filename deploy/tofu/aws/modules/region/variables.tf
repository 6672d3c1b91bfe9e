variable "cluster" {
  description = "The cluster's name."
  type        = string
}

variable "region" {
  description = "The region's name in Morty, its network, and the number of machines."
  type = object({
    name    = string
    cidr    = string
    servers = number
    clients = number
  })
}

variable "cidrs" {
  description = "The networks of all regions."
  type        = list(string)
}

variable "server_type" {
  description = "The instance type of servers."
  type        = string
}

variable "client_type" {
  description = "The instance type of client machines, for applications and benchmarks."
  type        = string
}

variable "data_gib" {
  description = "The size of each server's data volume."
  type        = number
}

variable "operator_cidrs" {
  description = "The networks that may use SSH."
  type        = list(string)
}

variable "public_key" {
  description = "The operators' public key."
  type        = string
}

variable "cluster_port" {
  description = "The port where servers listen."
  type        = number
}

variable "admin_port" {
  description = "The admin port of servers."
  type        = number
}
